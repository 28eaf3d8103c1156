// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import CurfewValues
import Synchronization

/// The difference between the server's clock and that of this machine, so that the dates of all hosts are of one clock.
package final class PostgresClock: Sendable {
    private struct Sample {
        /// Nanoseconds that the question and its answer were under way, which may be off by half of it.
        var trip: UInt64
        var offset: Int64
    }

    private let samples = Locked<[Sample]>([])
    private let used = Atomic<Int64>(0)

    /// The newest samples that count.
    private static let limit = 16
    /// Nanoseconds by which a clock may differ: a date has to be near enough, and must not waver.
    private static let tolerance: Int64 = 100_000_000

    package init() {}

    /// What is added to this machine's clock for dates, in nanoseconds. Any thread may ask.
    package var nanoseconds: Int64 { used.load(ordering: .relaxed) }

    /// Takes in the time of the server, in nanoseconds since 1970, which was asked for and came at times of
    /// CLOCK_MONOTONIC.
    func observe(_ wall: Int64, from asked: UInt64, to answered: UInt64) {
        let trip = answered &- asked
        // What this machine's clock was in the middle.
        let own = csys_realtime_ns() - Int64(clamping: csys_monotonic_ns() &- answered + trip / 2)
        let offset = wall - own
        let best = samples.withLock { samples in
            // Another offset by much more than the trip took: a clock was set, and what was seen before is no use.
            let isOld = { (sample: Sample) in
                (sample.offset - offset).magnitude > sample.trip + trip + UInt64(Self.tolerance)
            }
            if samples.contains(where: isOld) { samples.removeAll() }
            samples.append(Sample(trip: trip, offset: offset))
            if samples.count > Self.limit { samples.removeFirst() }
            return samples.min { $0.trip < $1.trip }!.offset
        }
        guard abs(best - nanoseconds) > Self.tolerance else { return }
        used.store(best, ordering: .relaxed)
    }
}
