// SPDX-License-Identifier: Apache-2.0
import CSystem
import TestSupport
import Testing

@testable import Persistence

@Suite("The clock of a store's server")
struct PostgresClockTests {
    private let clock = PostgresClock()

    /// Passes an answer of a server that is ahead by some nanoseconds, after a trip of which the way there has taken
    /// that share.
    private func observe(ahead: Int64, trip: UInt64 = 1_000_000, share: Double = 0.5) {
        let (wall, now) = (csys_realtime_ns(), csys_monotonic_ns())
        // It was asked a trip ago, and has answered meanwhile.
        let back = Int64(Double(trip) * (1 - share))
        clock.observe(wall + ahead - back, from: now - trip, to: now)
    }

    private func isAhead(by nanoseconds: Int64) -> Bool {
        abs(clock.nanoseconds - nanoseconds) < 50_000_000
    }

    @Test("a clock that is near enough counts as the same")
    func near() {
        for ahead: Int64 in [0, 3_000_000, -90_000_000, 90_000_000] {
            observe(ahead: ahead)
            #expect(clock.nanoseconds == 0)
        }
    }

    @Test("another clock is followed, by the answer that came soonest")
    func far() {
        observe(ahead: 600_000_000_000, trip: 40_000_000, share: 0.9)
        #expect(isAhead(by: 600_000_000_000))
        for _ in 0..<20 {
            // Half of a long trip says little.
            observe(ahead: 600_000_000_000, trip: 20_000_000_000, share: 0.1)
            observe(ahead: 600_000_000_000, trip: 1_000_000)
            #expect(isAhead(by: 600_000_000_000))
        }
        let before = clock.nanoseconds
        observe(ahead: 600_000_000_000)
        #expect(clock.nanoseconds == before)
    }

    @Test("a clock that was set is followed at once")
    func set() {
        observe(ahead: 0)
        observe(ahead: -31_536_000_000_000_000)
        #expect(isAhead(by: -31_536_000_000_000_000))
        observe(ahead: 0)
        #expect(isAhead(by: 0))
    }
}
