// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counters and flags of an event loop, one cache line per writer.
///
/// Workers read the first line for every task, so nothing that changes often may share it.
struct EventCounters: ~Copyable {
    /// Above 0 while every done event has to be queued, even without a receiver: the embedder runs
    /// the loop (a wait may begin before delivery), an observer sees all events, or events are
    /// being delivered.
    let attention: Atomic<UInt32>
    let asleep = Atomic<Bool>(true)
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)
    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // Written by the thread that runs the loop, one at a time.

    let delivered = Atomic<UInt64>(0)
    /// Events that had no receiver.
    let unheard = Atomic<UInt64>(0)
    private let padding3: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // Written rarely, by any thread.

    /// Events that were not queued because they had no receiver.
    let unwanted = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let wakeups = Atomic<UInt64>(0)

    init(manualDispatch: Bool) { attention = Atomic(manualDispatch ? 1 : 0) }
}

extension Atomic where Value == UInt64 {
    /// Adds one without a locked instruction; only one thread at a time may write.
    @inline(__always) func countAlone() {
        store(load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
