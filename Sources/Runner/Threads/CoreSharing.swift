// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Shares cores among the threads of a host that look for something.
///
/// Such threads yield, which is the quickest way to let another thread of the host run on the same
/// core. Where other programs want the cores as well, yielding hands one of them a time slice of the
/// scheduler, milliseconds; a thread that sleeps is woken at once there. So after a yield that took more
/// than 400 µs all of them sleep instead: for 1 ms, four times as long each time that it happens again,
/// and half as long each time that it does not.
struct CoreSharing: ~Copyable, Sendable {
    /// No thread yields before this time of the monotonic clock.
    private let crowdedUntil = Atomic<UInt64>(0)
    /// Nanoseconds that this was ahead, the last time. Threads may overwrite each other's value.
    private let pause = Atomic<UInt64>(0)

    /// Nanoseconds. The slices of Linux' scheduler are 700,000 and more; a launcher's turn takes less.
    private static let slice: UInt64 = 400_000
    /// Nanoseconds. A virtual machine that stands still for a moment is not crowded.
    private static let shortestPause: UInt64 = 1_000_000
    /// Nanoseconds: then one wait in a thousand takes a slice.
    private static let longestPause: UInt64 = 1_000_000_000

    /// Yields the core. Returns false when that took long, just now or a short time ago: then the caller
    /// should sleep.
    ///
    /// - Parameter began: now, on the monotonic clock; reading it is a tenth of the whole cost.
    func yield(at began: UInt64 = csys_monotonic_ns()) -> Bool {
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
}
