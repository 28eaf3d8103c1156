// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Decides whether polling threads of a host, or of a plugin's process, yield or sleep.
///
/// A yield is the quickest way to let another thread of the process run on the same core. If other
/// programs want the core too, a yield gives one of them a scheduler slice of milliseconds, whereas
/// a sleeping thread is woken at once. So after a yield of more than 400 µs all polling threads
/// sleep for 1 ms, four times as long after each repetition, half as long after each quick yield.
package struct CoreSharing: ~Copyable, Sendable {
    /// Polls of a thread before it sleeps, about 30 µs.
    package static let rounds = 400
    /// A thread yields that often, so that on few cores other threads can produce work: one that
    /// shares the core waits for that, and a pause can take 45 ns.
    package static let yieldEvery = 8

    /// CLOCK_MONOTONIC time before which no thread yields.
    private let crowdedUntil = Atomic<UInt64>(0)
    /// Length of the last pause in nanoseconds. Threads may overwrite each other's value.
    private let pause = Atomic<UInt64>(0)

    /// Nanoseconds. Slices of Linux' scheduler take 700,000 and more; a launcher's run takes less.
    private static let slice: UInt64 = 400_000
    /// Nanoseconds. Short, because a virtual machine that stops for a moment is not crowded.
    private static let shortestPause: UInt64 = 1_000_000
    /// Nanoseconds. At this pause, one wait in a thousand takes a slice.
    private static let longestPause: UInt64 = 1_000_000_000

    package init() {}

    /// Yields the core. Returns false when a yield took too long, now or recently; then sleep.
    ///
    /// - Parameter began: the current CLOCK_MONOTONIC time; reading it is a tenth of the cost.
    package func yield(at began: UInt64 = csys_monotonic_ns()) -> Bool {
        guard began >= crowdedUntil.load(ordering: .relaxed) else { return false }
        csys_yield()
        let ended = csys_monotonic_ns()
        let last = pause.load(ordering: .relaxed)
        if ended &- began > Self.slice {
            let next = min(max(4 * last, Self.shortestPause), Self.longestPause)
            pause.store(next, ordering: .relaxed)
            crowdedUntil.store(ended &+ next, ordering: .relaxed)
            return false
        }
        if last > 0 {
            pause.store(last > Self.shortestPause ? last / 2 : 0, ordering: .relaxed)
        }
        return true
    }

    /// Polls for a while, or until the cores are crowded. Returns whether `isFound` was true.
    ///
    /// The first yield is at once: where a thread was woken on this core to do what is polled for, each look
    /// before that is lost.
    @inline(__always) package func poll(_ isFound: () -> Bool) -> Bool {
        for round in 1...Self.rounds {
            if isFound() { return true }
            guard round % Self.yieldEvery == 1 else {
                csys_pause()
                continue
            }
            if !yield() { return false }
        }
        return false
    }
}
