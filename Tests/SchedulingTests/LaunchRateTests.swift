// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@Suite("How often a handler may be launched")
struct LaunchRateTests {
    private static let second: UInt64 = 1_000_000_000
    private static let minute = 60 * second

    @Test("a launch has to be so long after the last one")
    func spacing() {
        var rate = LaunchRate(spacing: 5 * Self.minute)
        #expect(rate.restsUntil(0) == nil)
        rate.launched(at: 100)
        #expect(rate.restsUntil(100) == 100 + 5 * Self.minute)
        #expect(rate.restsUntil(100 + 5 * Self.minute - 1) == 100 + 5 * Self.minute)
        #expect(rate.restsUntil(100 + 5 * Self.minute) == nil)
        #expect(rate.reason(at: 100 + Self.minute) == "launched at most once in 5 min, 4 min left")
        #expect(rate.reason(at: 100 + 5 * Self.minute) == nil)
    }

    @Test("each miss in a row doubles the rest, up to the longest, and a success forgives")
    func penalty() {
        var rate = LaunchRate(penalty: Self.minute, longestPenalty: 5 * Self.minute)
        let rests: [UInt64] = (0..<6).map { _ in
            rate.missed(at: 1_000)
            return ((rate.restsUntil(1_000) ?? 0) - 1_000) / Self.minute
        }
        #expect(rests == [1, 2, 4, 5, 5, 5])
        #expect(rate.misses == 6)
        #expect(
            rate.reason(at: 1_000) == "6 tasks in a row were not completed in time, 5 min left")
        rate.succeeded()
        #expect(rate.restsUntil(1_000) == nil)
        rate.missed(at: 2_000)
        #expect(rate.restsUntil(2_000) == 2_000 + Self.minute)
        #expect(rate.reason(at: 2_000) == "its last task was not completed in time, 60 s left")
    }

    @Test("a success does not shorten the time between launches")
    func successAndSpacing() {
        var rate = LaunchRate(spacing: Self.minute)
        rate.launched(at: 0)
        rate.succeeded()
        #expect(rate.restsUntil(1) == Self.minute)
    }

    @Test("the later end of both counts, and a report out of turn shortens nothing")
    func both() {
        var rate = LaunchRate(
            spacing: 10 * Self.minute, penalty: Self.minute, longestPenalty: 60 * Self.minute)
        rate.launched(at: Self.minute)
        rate.missed(at: 2 * Self.minute)
        #expect(rate.restsUntil(2 * Self.minute) == 11 * Self.minute)
        rate.launched(at: 0)
        #expect(rate.restsUntil(2 * Self.minute) == 11 * Self.minute)
    }

    @Test("requests without a date wait longer with each launch, up to the floor, and then anew")
    func floor() {
        var rate = LaunchRate(floor: 15 * Self.minute)
        #expect(rate.holdsUndatedUntil(7) == nil)
        var now: UInt64 = 7
        var pauses: [UInt64] = []
        for _ in 0..<12 {
            rate.launched(at: now, isUndated: true)
            let until = rate.holdsUndatedUntil(now) ?? now
            pauses.append((until - now) / Self.second)
            now = until
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        // What has a date is not counted, and is not held back.
        rate.launched(at: now)
        #expect(rate.holdsUndatedUntil(now) == nil)
        #expect(rate.restsUntil(now) == nil)
        rate.launched(at: now + 15 * Self.minute + 1, isUndated: true)
        now += 15 * Self.minute + 2
        #expect(rate.holdsUndatedUntil(now) == now - 1 + Self.second)
        var free = LaunchRate()
        free.launched(at: 7, isUndated: true)
        #expect(free.holdsUndatedUntil(7) == nil)
    }

    @Test("no penalty is none, and the largest numbers do not overflow")
    func extremes() {
        var free = LaunchRate(penalty: 0)
        free.missed(at: 5)
        #expect(free.restsUntil(5) == nil)
        var rate = LaunchRate(spacing: .max, penalty: .max, longestPenalty: .max)
        for _ in 0..<100 { rate.missed(at: .max) }
        rate.launched(at: .max)
        #expect(rate.restsUntil(0) == .max)
        #expect(rate.restsUntil(.max) == nil)
        #expect(rate.reason(at: 0) != nil)
    }

    @Test("spans are told in two units at most, rounded down")
    func spans() {
        let told = [
            0, 350_000_000, 119 * Self.second, 120 * Self.second, 7_199 * Self.second,
            7_200 * Self.second, 12_000 * Self.second, 172_800 * Self.second, .max,
        ].map { SpanText(nanoseconds: $0).description }
        #expect(
            told == [
                "0 ms", "350 ms", "119 s", "2 min", "119 min", "2 h", "3 h 20 min", "2 d",
                "213503 d 23 h",
            ])
    }
}
