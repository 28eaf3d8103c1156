// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// An event that cannot be declared: it is taken.
struct DeclarationConflict: Error {
    let selector: EventSelector
    /// Who has declared it, or nil when there is no room for another event.
    let owner: Int32?
}
