// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The current task and deadline of a worker, for the deadline threads. One cache line.
struct WorkerCell: ~Copyable {
    /// A `TaskReference`, or 0.
    let task = Atomic<UInt64>(0)
    let deadline = Atomic<UInt64>(0)
    /// Futex word of the parked worker: 0 while it sleeps.
    let wake = Atomic<UInt32>(0)
    private let padding0: UInt32 = 0
    /// Done events without a receiver, counted by this worker only.
    let untaken = Atomic<UInt64>(0)
    static let wakeOffset = 16

    private let padding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
}
