// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("The timing wheel")
struct TimingWheelTests {
    private typealias Entry = TimingWheel.Entry

    /// The wheel's tick, about a millisecond.
    private static let tick: UInt64 = 1 << 20

    private static func entry(_ key: UInt32, at deadline: UInt64, value: UInt64 = 0) -> Entry {
        Entry(key: key, value: value, deadline: deadline)
    }

    @Test("an empty wheel has nothing due, ever")
    func empty() {
        var wheel = TimingWheel(now: 5)
        #expect(wheel.count == 0)
        #expect(wheel.next == nil)
        #expect(wheel.popDue(now: .max) == nil)
        #expect(wheel.disarm(0) == false)
        #expect(wheel.disarm(.max) == false)
        #expect(wheel.disarm(.max, value: 0) == false)
    }

    @Test("an entry is due at its deadline, not one nanosecond before, whatever its tick")
    func exact() {
        for deadline in [1, Self.tick - 1, Self.tick, Self.tick + 1, 123_456_789_012] {
            var wheel = TimingWheel(now: 0)
            wheel.arm(Self.entry(3, at: deadline, value: 77))
            #expect(wheel.count == 1)
            #expect(wheel.popDue(now: deadline - 1) == nil)
            #expect(wheel.count == 1)
            #expect(wheel.popDue(now: deadline) == Self.entry(3, at: deadline, value: 77))
            #expect(wheel.count == 0)
            #expect(wheel.popDue(now: .max) == nil)
            #expect(wheel.next == nil)
        }
    }

    @Test("what is due comes out in the order of the exact deadlines")
    func order() {
        var wheel = TimingWheel(now: 0)
        let deadlines: [UInt64] = [
            900, 5 * Self.tick + 3, 100, 5 * Self.tick + 1, 70 * Self.tick, 500, 5 * Self.tick + 2,
            5_000 * Self.tick, 64 * Self.tick, 63 * Self.tick,
        ]
        for (key, deadline) in deadlines.enumerated() {
            wheel.arm(Self.entry(UInt32(key), at: deadline))
        }
        var popped: [UInt64] = []
        while let entry = wheel.popDue(now: .max) { popped.append(entry.deadline) }
        #expect(popped == deadlines.sorted())
    }

    @Test("a deadline in the past is due at once, before what is due later")
    func past() {
        let now = 1_000 * Self.tick
        var wheel = TimingWheel(now: now)
        wheel.arm(Self.entry(1, at: now))
        wheel.arm(Self.entry(2, at: 0))
        wheel.arm(Self.entry(3, at: now - 1))
        #expect(wheel.next == 0)
        #expect(wheel.popDue(now: now) == Self.entry(2, at: 0))
        #expect(wheel.popDue(now: now) == Self.entry(3, at: now - 1))
        #expect(wheel.popDue(now: now) == Self.entry(1, at: now))
    }

    @Test("arming again replaces what was armed, and disarming takes it away")
    func rearm() {
        var wheel = TimingWheel(now: 0)
        wheel.arm(Self.entry(1, at: 100, value: 1))
        wheel.arm(Self.entry(1, at: 9_000 * Self.tick, value: 2))
        #expect(wheel.count == 1)
        #expect(wheel.popDue(now: 100) == nil)
        wheel.arm(Self.entry(1, at: 200, value: 3))
        #expect(wheel.count == 1)
        #expect(wheel.popDue(now: 200) == Self.entry(1, at: 200, value: 3))
        #expect(wheel.popDue(now: .max) == nil)

        wheel.arm(Self.entry(1, at: 300))
        #expect(wheel.disarm(1) == true)
        #expect(wheel.disarm(1) == false)
        #expect(wheel.count == 0)
        #expect(wheel.popDue(now: .max) == nil)
    }

    @Test("disarming by value spares what was armed in its place")
    func disarmByValue() {
        var wheel = TimingWheel(now: 0)
        wheel.arm(Self.entry(1, at: 100, value: 1))
        wheel.arm(Self.entry(1, at: 100, value: 2))
        #expect(wheel.disarm(1, value: 1) == false)
        #expect(wheel.count == 1)
        #expect(wheel.disarm(1, value: 2) == true)
        #expect(wheel.disarm(1, value: 2) == false)
        #expect(wheel.count == 0)

        wheel.arm(Self.entry(2, at: 100, value: 7))
        #expect(wheel.popDue(now: 100) != nil)
        #expect(wheel.disarm(2, value: 7) == false, "it came out already")
        #expect(wheel.count == 0)
    }

    @Test("one bucket can lose its first, its middle and its last entry")
    func disarmWithinBucket() {
        for gone in 0..<4 as Range<UInt32> {
            var wheel = TimingWheel(now: 0)
            for key in 0..<4 as Range<UInt32> {
                wheel.arm(Self.entry(key, at: 1_000 * Self.tick + UInt64(key)))
            }
            #expect(wheel.disarm(gone) == true)
            var popped: [UInt32] = []
            while let entry = wheel.popDue(now: .max) { popped.append(entry.key) }
            #expect(popped == (0..<4).filter { $0 != gone })
        }
    }

    @Test("a clock that goes back makes nothing due, and loses nothing")
    func backwards() {
        var wheel = TimingWheel(now: 5_000 * Self.tick)
        wheel.arm(Self.entry(1, at: 5_010 * Self.tick))
        #expect(wheel.popDue(now: 0) == nil)
        wheel.arm(Self.entry(2, at: 4_000 * Self.tick))
        #expect(wheel.popDue(now: 4_000 * Self.tick - 1) == nil)
        #expect(wheel.popDue(now: 4_000 * Self.tick)?.key == 2)
        #expect(wheel.popDue(now: 5_009 * Self.tick) == nil)
        #expect(wheel.popDue(now: 5_010 * Self.tick)?.key == 1)
    }

    // MARK: When to look again

    @Test("the time to look again is exact within the current tick, and at most the deadline")
    func next() throws {
        var wheel = TimingWheel(now: 0)
        wheel.arm(Self.entry(1, at: 700))
        wheel.arm(Self.entry(2, at: 500))
        #expect(wheel.next == 500)
        #expect(wheel.disarm(2) == true)
        #expect(wheel.next == 700)
        #expect(wheel.disarm(1) == true)
        #expect(wheel.next == nil)
        wheel.arm(Self.entry(3, at: 1_000_000 * Self.tick + 17))
        let next = try #require(wheel.next)
        #expect(next <= 1_000_000 * Self.tick + 17)
        #expect(next > 0)
    }

    @Test(
        "looking again each time it says so reaches every deadline in a few steps",
        arguments: [0, 1, 1 << 20, (1 << 56) - 1, 1 << 63] as [UInt64])
    func progress(_ start: UInt64) throws {
        for shift in 0..<64 as Range<UInt64> {
            let (deadline, overflow) = start.addingReportingOverflow(1 << shift | 1)
            if overflow { continue }
            var wheel = TimingWheel(now: start)
            wheel.arm(Self.entry(1, at: deadline))
            var now = start
            var looks = 0
            while wheel.popDue(now: now) == nil {
                let next = try #require(wheel.next)
                try #require(next > now, "it would look for ever at \(now)")
                try #require(next <= deadline)
                now = next
                looks += 1
            }
            #expect(now == deadline)
            #expect(looks <= 9, "a step for each level, and one for the heap")
        }
    }

    @Test("many entries of one far bucket are reached in a few steps each")
    func progressOfMany() throws {
        var random = SeededGenerator(seed: 1)
        var wheel = TimingWheel(now: 0)
        for key in 0..<1_000 as Range<UInt32> {
            let deadline = UInt64.random(in: 1 << 40...1 << 41, using: &random)
            wheel.arm(Self.entry(key, at: deadline))
        }
        var now: UInt64 = 0
        var looks = 0
        var popped = 0
        while let next = wheel.next {
            try #require(next > now)
            now = next
            looks += 1
            while wheel.popDue(now: now) != nil { popped += 1 }
        }
        #expect(popped == 1_000)
        #expect(looks <= 9_000)
    }

    // MARK: Far away

    @Test("a deadline at the end of time waits until then")
    func endOfTime() {
        var wheel = TimingWheel(now: 0)
        wheel.arm(Self.entry(1, at: .max))
        wheel.arm(Self.entry(2, at: .max - 1))
        #expect(wheel.popDue(now: .max - 2) == nil)
        #expect(wheel.popDue(now: .max - 1)?.key == 2)
        #expect(wheel.popDue(now: .max - 1) == nil)
        #expect(wheel.next == .max)
        #expect(wheel.popDue(now: .max)?.key == 1)
        #expect(wheel.count == 0)
    }

    @Test("a deadline years away hides no nearer one, however long the host has been up")
    func farHidesNothing() throws {
        // 2^56 ns are about two years.
        let year: UInt64 = 1 << 55
        for start in [0, (1 << 56) - 1, (1 << 56) - Self.tick, 1 << 56, 3 << 56] as [UInt64] {
            var wheel = TimingWheel(now: start)
            wheel.arm(Self.entry(1, at: .max))
            wheel.arm(Self.entry(2, at: start + 20 * year))
            for step in 1...8 as ClosedRange<UInt64> {
                let now = start + step * year
                #expect(wheel.popDue(now: now) == nil)
                let soon = now + 50 * Self.tick
                wheel.arm(Self.entry(3, at: soon))
                #expect(try #require(wheel.next) <= soon, "started at \(start), now \(now)")
                #expect(wheel.popDue(now: soon)?.key == 3)
            }
            #expect(wheel.popDue(now: start + 20 * year)?.key == 2)
            #expect(wheel.count == 1)
        }
    }
}
