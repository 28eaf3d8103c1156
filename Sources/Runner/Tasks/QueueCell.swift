// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One place in a handler's queue, on a cache line of its own.
struct QueueCell: ~Copyable {
    /// The lap at which the cell is full (position + 1) or free again (position + capacity).
    let lap: Atomic<UInt64>
    /// The task that waits here; while the cell is free, the id of the next one, or 0.
    let task: Atomic<UInt64>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    init(position: UInt64) {
        lap = Atomic(position)
        task = Atomic(0)
    }
}
