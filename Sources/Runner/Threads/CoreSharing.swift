// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// How threads of a host that look for something share their cores.
///
/// To give way is the quickest way to another thread of the host on the same core. Where other
/// programs want the cores, too, it gives one of them a slice of the scheduler's, milliseconds, and
/// who looked has what it looked for only after that; a thread that sleeps is woken at once there. So
/// who gave way for long tells all of them, and for a while they sleep instead: for longer each time
/// that it happens again, and soon not at all where it was once.
struct CoreSharing: ~Copyable, Sendable {
    /// No thread gives way before this, on the monotonic clock.
    private let crowdedUntil = Atomic<UInt64>(0)
    /// Nanoseconds that this was ahead, the last time. Whoever writes beside another one is as right.
    private let pause = Atomic<UInt64>(0)

    /// Nanoseconds. The slices of Linux' scheduler are 700,000 and more; a launcher's turn takes less.
    private static let slice: UInt64 = 400_000
    /// Nanoseconds. A virtual machine that stands still for a moment is not crowded.
    private static let shortestPause: UInt64 = 1_000_000
    /// Nanoseconds: then one wait in a thousand takes a slice.
    private static let longestPause: UInt64 = 1_000_000_000

    /// Gives the core to whoever wants it. False: it was others' for long, just now or a short time ago,
    /// and who looks for something should sleep.
    ///
    /// - Parameter began: now, on the monotonic clock; each look at it is a tenth of the whole.
    func giveWay(at began: UInt64 = csys_monotonic_ns()) -> Bool {
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
