// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A link of the event queue, inside a task's slot or at the head of an `EventNode`.
struct EventLink: ~Copyable {
    /// The address of the next link, or 0.
    let next: Atomic<UInt>
}
