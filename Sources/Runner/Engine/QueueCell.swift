// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One place in a handler's queue, on its own cache line. All zero in a new queue.
struct QueueCell: ~Copyable {
    /// The sequence number: full at position + 1, free again at position + capacity.
    /// Zero in a new cell until a launcher of the first round stores its position (free).
    let sequence: Atomic<UInt64>
    /// The waiting task; while the cell is free, the id of the next one, or 0.
    let task: Atomic<UInt64>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
}
