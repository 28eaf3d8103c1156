// SPDX-License-Identifier: Apache-2.0
import FoundationBackground
import Testing

/// When the block of an NSBackgroundActivityScheduler is called.
@Suite("The dates of a background activity")
struct ActivityScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    private static func at(_ seconds: UInt64) -> UInt64 { seconds * second }

    private func machine(_ tolerance: UInt64, repeats: Bool = false) -> ActivityScheduleStateMachine
    {
        var machine = ActivityScheduleStateMachine(
            interval: Self.at(600), tolerance: Self.at(tolerance), repeats: repeats)
        #expect(machine.schedule(0) == .wait(Self.at(600 - tolerance)))
        return machine
    }

    @Test("Before its window it is never called")
    func before() {
        var machine = machine(100)
        #expect(machine.tick(Self.at(499), .good) == .wait(Self.at(500)))
        #expect(machine.tick(Self.at(500), .good) == .run)
    }

    @Test("Before its date it is called in good conditions alone, after it in fair ones")
    func fair() {
        var machine = machine(100)
        #expect(machine.tick(Self.at(500), .fair) == .wait(Self.at(525)))
        #expect(machine.tick(Self.at(590), .fair) == .wait(Self.at(600)))
        #expect(machine.tick(Self.at(600), .fair) == .run)
    }

    @Test("At the end of its window it is called whatever holds it")
    func held() {
        var machine = machine(100)
        #expect(machine.tick(Self.at(600), .held) == .wait(Self.at(625)))
        #expect(machine.tick(Self.at(699), .held) == .wait(Self.at(700)))
        #expect(machine.tick(Self.at(700), .held) == .run)
    }

    @Test("Without repeats it is called once")
    func once() {
        var machine = machine(0)
        #expect(machine.tick(Self.at(600), .fair) == .run)
        #expect(machine.isRunning)
        #expect(machine.tick(Self.at(601), .good) == .nothing)
        #expect(machine.completed(Self.at(602), deferred: false) == .nothing)
        #expect(machine.schedule(Self.at(603)) == .nothing)
    }

    @Test("Repeated, its dates keep their distance, and what was slept through is left out")
    func repeats() {
        var machine = machine(100, repeats: true)
        #expect(machine.tick(Self.at(650), .fair) == .run)
        #expect(machine.completed(Self.at(660), deferred: false) == .wait(Self.at(1100)))
        #expect(machine.tick(Self.at(1200), .fair) == .run)
        #expect(machine.completed(Self.at(10_000), deferred: false) == .wait(Self.at(10_500)))
    }

    @Test("What defers is called again after a tenth of its interval")
    func defers() {
        var machine = machine(100)
        #expect(machine.tick(Self.at(600), .fair) == .run)
        #expect(machine.completed(Self.at(610), deferred: true) == .wait(Self.at(670)))
        #expect(machine.tick(Self.at(669), .good) == .wait(Self.at(670)))
        #expect(machine.tick(Self.at(670), .held) == .run)
    }

    @Test("After invalidate nothing is called")
    func invalid() {
        var machine = machine(100, repeats: true)
        machine.invalidate()
        #expect(machine.tick(Self.at(700), .good) == .nothing)
        #expect(machine.completed(Self.at(700), deferred: true) == .nothing)
    }

    @Test("Repeated without an interval it rests a second")
    func noInterval() {
        var machine = ActivityScheduleStateMachine(interval: 0, tolerance: 0, repeats: true)
        #expect(machine.schedule(0) == .wait(Self.second))
    }

    @Test("A manual clock calls in the order of time, and not who is let go of")
    func clock() {
        let clock = ManualBackgroundClock()
        nonisolated(unsafe) var seen: [UInt64] = []
        let late = clock.wake(at: 20) { seen.append(20) }
        let early = clock.wake(at: 10) { seen.append(10) }
        var gone: BackgroundAlarm? = clock.wake(at: 15) { seen.append(15) }
        _ = gone
        gone = nil
        clock.advance(by: 1)
        #expect(seen == [10, 20])
        #expect(clock.now == Self.second)
        withExtendedLifetime((late, early)) {}
    }
}
