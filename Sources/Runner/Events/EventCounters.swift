// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What an event loop counts and flags, apart by who writes it: workers read the first line for
/// every task, so nothing that changes often may share it.
struct EventCounters: ~Copyable {
    /// Above 0 while every done event has to be queued, wanted or not: the embedder turns the loop
    /// (what is raised now may be waited for before it is delivered), somebody observes all events,
    /// or events are being delivered.
    let attention: Atomic<UInt32>
    /// The loop's thread sleeps, or is about to.
    let asleep = Atomic<Bool>(true)
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)
    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // Written by whoever turns the loop, one thread at a time.

    let delivered = Atomic<UInt64>(0)
    /// Delivered to nobody.
    let unheard = Atomic<UInt64>(0)
    private let padding3: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // Written by anybody, rarely.

    /// Not queued, since nobody wanted them.
    let unwanted = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let wakeups = Atomic<UInt64>(0)

    init(ownLoop: Bool) { attention = Atomic(ownLoop ? 1 : 0) }
}

extension Atomic where Value == UInt64 {
    /// Adds one where only one thread at a time writes.
    @inline(__always) func countAlone() {
        store(load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
