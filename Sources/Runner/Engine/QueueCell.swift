// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One place in a handler's queue, on a cache line of its own. All zero in a queue that is new.
struct QueueCell: ~Copyable {
    /// The sequence number at which the cell is full (position + 1) or free again (position + capacity). Zero
    /// until somebody wants it for the first round, and then that position: free, and on no other round.
    let sequence: Atomic<UInt64>
    /// The task that waits here; while the cell is free, the id of the next one, or 0.
    let task: Atomic<UInt64>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
}
