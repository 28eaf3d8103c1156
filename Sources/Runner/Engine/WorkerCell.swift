// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What a worker shows to the watchers: which task it runs, and until when. One cache line.
struct WorkerCell: ~Copyable {
    /// A `TaskReference`, or 0.
    let task = Atomic<UInt64>(0)
    let deadline = Atomic<UInt64>(0)
    /// What the parked worker sleeps on: 0 while it should.
    let wake = Atomic<UInt32>(0)
    private let padding0: UInt32 = 0
    /// Done events nobody wanted, counted by this worker alone.
    let untaken = Atomic<UInt64>(0)
    /// Where `wake` is, for the futex.
    static let wakeOffset = 16

    private let padding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
}
