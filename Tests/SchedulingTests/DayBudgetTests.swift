// SPDX-License-Identifier: Apache-2.0
import Scheduling
import TestSupport
import Testing

@Suite("What a day may cost")
struct DayBudgetTests {
    private static let hour: Int64 = 3_600_000_000_000
    private static let day = 24 * hour
    /// 2026-01-05 00:00 in UTC.
    private static let midnight: Int64 = 1_767_571_200_000_000_000
    private static let noon = midnight + 12 * hour
    private static let limits = DayLimits(launches: 2, wall: 1_000, cpu: 500)

    @Test("what is spent is taken from what is left, until the day is over")
    func spending() {
        var budget = DayBudget(limits: Self.limits)
        #expect(budget.balance(at: Self.noon) == Self.limits)
        budget.spend(launches: 1, wall: 400, cpu: 100, at: Self.noon)
        #expect(
            budget.balance(at: Self.noon) == DayLimits(launches: 1, wall: 600, cpu: 400))
        #expect(!budget.isSpent(at: Self.noon))
        #expect(budget.reason(at: Self.noon) == nil)
        budget.spend(launches: 1, at: Self.noon)
        #expect(budget.isSpent(at: Self.midnight + Self.day - 1))
        #expect(budget.reason(at: Self.noon) == "all 2 launches of the day are spent")
        #expect(!budget.isSpent(at: Self.midnight + Self.day))
        #expect(budget.balance(at: Self.midnight + Self.day) == Self.limits)
    }

    @Test("each limit alone is enough, and more than all may be spent")
    func each() {
        var wall = DayBudget(limits: Self.limits)
        wall.spend(wall: 5_000, at: Self.noon)
        #expect(wall.isSpent(at: Self.noon))
        #expect(wall.balance(at: Self.noon).wall == 0)
        var cpu = DayBudget(limits: DayLimits(cpu: 60_000_000_000))
        cpu.spend(launches: .max, wall: .max, cpu: .max, at: Self.noon)
        cpu.spend(launches: .max, wall: .max, cpu: .max, at: Self.noon)
        #expect(cpu.balance(at: Self.noon) == DayLimits(cpu: 0))
        #expect(cpu.reason(at: Self.noon) == "the day's 60 s of processor time are spent")
    }

    @Test("without limits nothing is ever spent, and with none at all everything is")
    func ends() {
        var free = DayBudget(limits: DayLimits())
        free.spend(launches: .max, wall: .max, cpu: .max, at: Self.noon)
        #expect(!free.isSpent(at: Self.noon))
        #expect(DayBudget(limits: DayLimits(launches: 0)).isSpent(at: Self.noon))
    }

    @Test("days begin where they are said to")
    func dayStart() {
        let late = DayBudget(limits: Self.limits, dayStart: 4 * 3_600)
        #expect(late.resetsAt(Self.midnight) == Self.midnight + 4 * Self.hour)
        #expect(late.resetsAt(Self.noon) == Self.midnight + 28 * Self.hour)
        let early = DayBudget(limits: Self.limits, dayStart: -2 * 3_600)
        #expect(early.resetsAt(Self.noon) == Self.midnight + 22 * Self.hour)
        #expect(
            DayBudget(limits: Self.limits).resetsAt(Self.midnight) == Self.midnight + Self.day)
        #expect(DayBudget(limits: Self.limits).resetsAt(-1) == 0)
    }

    @Test("a clock set back over midnight does not give the day twice")
    func setBack() {
        var budget = DayBudget(limits: Self.limits)
        let after = Self.midnight + Self.hour
        budget.spend(launches: 2, at: after)
        let before = Self.midnight - Self.hour
        #expect(budget.isSpent(at: before))
        #expect(budget.resetsAt(before) == Self.midnight + Self.day)
        budget.clockWasSet(to: before)
        #expect(budget.isSpent(at: before))
        // The same midnight comes again.
        #expect(budget.isSpent(at: after))
        #expect(!budget.isSpent(at: Self.midnight + Self.day))
    }

    @Test("a clock that was far ahead by mistake costs one day, not years")
    func farAhead() {
        var budget = DayBudget(limits: Self.limits)
        budget.spend(launches: 2, at: Self.noon + 3_000 * Self.day)
        #expect(budget.isSpent(at: Self.noon))
        budget.clockWasSet(to: Self.noon)
        #expect(budget.isSpent(at: Self.noon))
        #expect(budget.resetsAt(Self.noon) == Self.midnight + Self.day)
        #expect(!budget.isSpent(at: Self.midnight + Self.day))
    }

    @Test("the ends of time do no harm")
    func extremes() {
        for start in [Int64.min, -1, 0, .max] {
            var budget = DayBudget(limits: Self.limits, dayStart: start)
            for now in [Int64.max, .min, 0, -1, .max, .min] {
                budget.spend(launches: 1, at: now)
                budget.clockWasSet(to: now)
                _ = budget.reason(at: now)
                #expect(budget.resetsAt(now) > now || now == .max)
                let read = DayBudget(bytes: budget.bytes, limits: Self.limits, dayStart: start)
                #expect(read == budget)
            }
        }
    }

    @Test("what is written is read, and nothing else")
    func bytes() {
        var budget = DayBudget(limits: Self.limits)
        #expect(DayBudget(bytes: budget.bytes, limits: Self.limits) == budget)
        budget.spend(launches: 1, wall: 2, cpu: .max, at: Self.noon)
        let bytes = budget.bytes
        #expect(bytes.count == 33)
        #expect(DayBudget(bytes: bytes, limits: Self.limits) == budget)
        #expect(DayBudget(bytes: [], limits: Self.limits) == nil)
        #expect(DayBudget(bytes: bytes.dropLast(), limits: Self.limits) == nil)
        #expect(DayBudget(bytes: bytes + [0], limits: Self.limits) == nil)
        #expect(DayBudget(bytes: [9] + bytes.dropFirst(), limits: Self.limits) == nil)
        // A day that no clock can show.
        var odd = bytes
        odd[8] = 0x70
        #expect(DayBudget(bytes: odd, limits: Self.limits) == nil)
    }

    @Test("random bytes are refused, or are a budget that works", arguments: 0..<200)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = (0..<33).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes[0] = 1
        // Small days are the ones that are let in.
        for index in 4...8 { bytes[index] = seed % 2 == 0 ? 0 : 255 }
        guard var budget = DayBudget(bytes: bytes, limits: Self.limits) else { return }
        budget.spend(launches: 1, wall: .max, cpu: 1, at: Self.noon)
        #expect(budget.isSpent(at: Self.noon))
        #expect(budget.resetsAt(Self.noon) > Self.noon)
        #expect(DayBudget(bytes: budget.bytes, limits: Self.limits) == budget)
    }
}
