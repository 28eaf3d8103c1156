// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One place in a handler's queue, on a cache line of its own. All zero in a queue that is new.
struct QueueCell: ~Copyable {
    /// Until when the cell is full or free, as a position counted from the cell's own place: 0 at
    /// first, 1 once it is full, the capacity once it is free again, and so on from there.
    let lap: Atomic<UInt64>
    /// The task that waits here; while the cell is free, the id of the next one, or 0.
    let task: Atomic<UInt64>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
}
