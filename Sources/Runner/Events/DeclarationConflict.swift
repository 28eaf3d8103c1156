// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// An event that cannot be declared because its selector is taken.
struct DeclarationConflict: Error {
    let selector: EventSelector
    /// The plugin that declared it, or nil when the event table is full.
    let owner: Int32?
}
