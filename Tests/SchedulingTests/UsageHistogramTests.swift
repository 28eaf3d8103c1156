// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Scheduling

@Suite("At which hours of the week something is used")
struct UsageHistogramTests {
    private static let hour: Int64 = 3_600_000_000_000
    private static let day = 24 * hour
    private static let week = 7 * day
    /// Monday, 2026-01-05 09:00 in UTC.
    private static let monday: Int64 = 1_767_603_600_000_000_000

    private struct East: TimeZoneRules {
        func offset(at instant: Int64) -> Int64 { 2 * 3_600 }
    }
    private struct Mad: TimeZoneRules {
        let seconds: Int64
        func offset(at instant: Int64) -> Int64 { seconds }
    }

    private static func used(weeks: [Int64]) -> UsageHistogram {
        var usage = UsageHistogram()
        for week in weeks { usage.note(at: monday + week * Self.week) }
        return usage
    }

    @Test("the busiest hour scores 1, its neighbours half, the others 0")
    func scores() {
        let usage = Self.used(weeks: [0, 1, 2])
        #expect(usage.score(at: Self.monday + 3 * Self.week) == 1)
        #expect(usage.score(at: Self.monday + Self.hour) == 0.5)
        #expect(usage.score(at: Self.monday - Self.hour) == 0.5)
        #expect(usage.score(at: Self.monday + 2 * Self.hour) == 0)
        #expect(usage.score(at: Self.monday + Self.day) == 0)
    }

    @Test("the week is a ring: Sunday's last hour is beside Monday's first")
    func ring() {
        var usage = UsageHistogram()
        usage.note(at: Self.monday - 9 * Self.hour)
        #expect(usage.score(at: Self.monday - 10 * Self.hour) == 0.5)
        #expect(usage.score(at: Self.monday - 9 * Self.hour) == 1)
    }

    @Test("nothing known scores 0 and says so")
    func empty() {
        let usage = UsageHistogram()
        #expect(usage.isEmpty)
        #expect(usage.score(at: Self.monday) == 0)
        #expect(usage.explanation(at: Self.monday) == "nothing is known of its use")
    }

    @Test("much use in one hour is no more than some")
    func once() {
        var usage = UsageHistogram()
        for minute in 0..<60 {
            usage.note(at: Self.monday + Int64(minute) * 60_000_000_000)
        }
        usage.note(at: Self.monday + Self.day)
        #expect(abs(usage.score(at: Self.monday) - usage.score(at: Self.monday + Self.day)) < 0.05)
    }

    @Test("after a half-life a use counts half")
    func decay() {
        var usage = UsageHistogram(halfLife: UInt64(2 * Self.week))
        usage.note(at: Self.monday)
        usage.note(at: Self.monday + 2 * Self.week + 12 * Self.hour)
        // Two weeks and half a day: 2^-(14.5 / 14).
        #expect(abs(usage.score(at: Self.monday) - 0.487_8) < 0.000_1)
    }

    @Test("a use is forgotten after ten half-lives, and decays alike in many steps and in one")
    func forgotten() {
        var usage = UsageHistogram(halfLife: UInt64(Self.week))
        usage.note(at: Self.monday)
        usage.note(at: Self.monday + 9 * Self.week + 12 * Self.hour)
        #expect(usage.score(at: Self.monday) > 0)
        usage.note(at: Self.monday + 10 * Self.week + 12 * Self.hour)
        #expect(usage.score(at: Self.monday) == 0)

        #expect(UsageHistogram.half(toThe: 0) == 1)
        #expect(abs(UsageHistogram.half(toThe: 0.5) - 0.707_106_781_186_547_5) < 1e-15)
        #expect(UsageHistogram.half(toThe: 3) == 0.125)
        #expect(UsageHistogram.half(toThe: 5_000) == 0)
    }

    @Test("the explanation says in how many of the last weeks it was used")
    func explanation() {
        let usage = Self.used(weeks: [0, 1, 3])
        let fourth = Self.monday + 4 * Self.week
        #expect(usage.explanation(at: fourth) == "used in 3 of the last 4 weeks at this hour")
        #expect(
            usage.explanation(at: fourth + Self.hour)
                == "not used at this hour in the last 4 weeks")
        #expect(
            usage.explanation(at: fourth + Self.week)
                == "used in 2 of the last 4 weeks at this hour")
        #expect(
            usage.explanation(at: Self.monday + 2 * Self.week)
                == "used in 2 of the last 2 weeks at this hour")
        #expect(
            usage.explanation(at: Self.monday + Self.week) == "used in the last week at this hour")
        #expect(usage.explanation(at: Self.monday) == "its use is known for less than a week")
        #expect(
            usage.explanation(at: Self.monday + 40 * Self.week)
                == "not used at this hour in the last 4 weeks")
    }

    @Test("hours are those of the user's wall")
    func zones() {
        var usage = UsageHistogram()
        usage.note(at: Self.monday, in: East())
        #expect(usage.score(at: Self.monday + 2 * Self.hour) == 1)
        #expect(usage.score(at: Self.monday, in: East()) == 1)
    }

    @Test("a clock that is set back neither decays nor loses anything, and time goes on from there")
    func setBack() {
        var usage = Self.used(weeks: [0, 1])
        let before = usage.score(at: Self.monday + 2 * Self.hour)
        usage.note(at: Self.monday + 2 * Self.hour)
        #expect(usage.score(at: Self.monday + 2 * Self.hour) > before)
        #expect(
            usage.explanation(at: Self.monday + Self.week) == "used in the last week at this hour")
    }

    @Test("the ends of time and rules that are mad do no harm")
    func extremes() {
        var usage = UsageHistogram(halfLife: 0)
        for wall in [Int64.max, .min, 0, .max, -1] {
            for seconds in [Int64.max, .min, 0] {
                usage.note(at: wall, in: Mad(seconds: seconds))
                let score = usage.score(at: ~wall, in: Mad(seconds: seconds))
                #expect(score >= 0 && score <= 1)
                #expect(!usage.explanation(at: ~wall).isEmpty)
                #expect(UsageHistogram(bytes: usage.bytes, halfLife: 0) == usage)
            }
        }
    }

    @Test("what is written is read, and nothing else")
    func bytes() throws {
        let usage = Self.used(weeks: [0, 1, 3])
        let bytes = usage.bytes
        #expect(bytes.count == 1_537)
        #expect(UsageHistogram(bytes: bytes) == usage)
        #expect(UsageHistogram(bytes: UsageHistogram().bytes) == UsageHistogram())
        #expect(UsageHistogram(bytes: []) == nil)
        #expect(UsageHistogram(bytes: bytes.dropLast()) == nil)
        #expect(UsageHistogram(bytes: bytes + [0]) == nil)
        #expect(UsageHistogram(bytes: [2] + bytes.dropFirst()) == nil)
        for weight in [Double.nan, .infinity, -1, 1e300] {
            var odd = bytes
            for (index, shift) in stride(from: 0, to: 64, by: 8).enumerated() {
                odd[25 + index] = UInt8(truncatingIfNeeded: weight.bitPattern >> UInt64(shift))
            }
            #expect(UsageHistogram(bytes: odd) == nil, "\(weight)")
        }
        // A week that no clock can show.
        var odd = bytes
        odd[15] = 0x7F
        #expect(UsageHistogram(bytes: odd) == nil)
    }

    @Test("random bytes are refused, or are a histogram that works", arguments: 0..<200)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Self.used(weeks: [0, 1, 3]).bytes
        for _ in 0..<3 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                UInt8.random(in: 0...255, using: &random)
        }
        guard var usage = UsageHistogram(bytes: bytes) else { return }
        usage.note(at: Self.monday + 5 * Self.week)
        let score = usage.score(at: Self.monday)
        #expect(score >= 0 && score <= 1)
        #expect(UsageHistogram(bytes: usage.bytes) == usage)
    }
}
