// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// A clock that a test owns.
@Suite("The manual clock")
struct ClockTests {
    @Test("no hour passes while the function of a task that is over is about to return")
    func returning() throws {
        let host = try TestHost()
        try host.register { call in
            #expect(call.complete() == .ok)
            // Some milliseconds of work, which nothing waits for.
            var sum: UInt64 = 0
            for number in 0..<100_000 as Range<UInt64> { sum ^= number &* number }
            return sum == 1 ? .failed : .ok
        }
        for _ in 0..<10 {
            #expect(host.wait(try host.launch()) == .ok)
            _ = host.clock?.advance(by: 3_600 * .second)
        }
        #expect(host.counts.lostWorkers == 0)
        #expect(try !host.handler().isQuarantined)
    }

    @Test("nothing comes early: not a nanosecond before its deadline")
    func neverEarly() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second - 1)
        #expect(!stuck.expired.isSet)
        #expect(!host.call(task).isExpired)
        #expect(host.call(task).remaining == 1)
        _ = host.clock?.advance(by: 1)
        #expect(stuck.expired.isSet)
        #expect(host.call(task).isExpired)
        stuck.go.send()
    }

    @Test("advancing stops at every deadline in between, in order")
    func inOrder() throws {
        let host = try TestHost(workers: 8)
        let stuck = Stuck()
        let clock = try #require(host.clock)
        let times = Guarded<[UInt64]>([])
        for budget in [5, 2, 4, 1, 3] as [UInt64] {
            try host.register(
                "org.example.handler\(budget)", budget: budget * .second, grace: 10 * .second,
                expired: { [unowned clock] _, _ in times.change { $0.append(clock.now) } },
                run: stuck.run { _ in .ok })
            _ = try host.launch("org.example.handler\(budget)")
        }
        for _ in 0..<5 { #expect(stuck.entered.wait()) }
        clock.advance(by: 100 * .second)
        #expect(times.value == (1...5).map { .second + $0 * .second })
        #expect(clock.now == 101 * .second)
        stuck.go.send(5)
    }

    @Test("a pending task's deadlines, budget then grace, are stopped at too")
    func pendingInOrder() throws {
        let host = try TestHost()
        let clock = try #require(host.clock)
        let times = Guarded<[UInt64]>([])
        try host.register(
            budget: 2 * .second, grace: 3 * .second,
            expired: { [unowned clock] _, _ in times.change { $0.append(clock.now) } },
            run: { _ in .pending })
        let done = Observer { [unowned clock] _ in times.change { $0.append(clock.now) } }
        try host.observe("tidy_done::", by: done)
        let task = try host.launch()
        try host.waitUntilPending(task)
        clock.advance(by: 3_600 * .second)
        #expect(times.value == [3 * .second, 6 * .second])
    }

    @Test("advancing is refused inside a host that uses the clock")
    func wrongThread() throws {
        let host = try TestHost()
        let clock = try #require(host.clock)
        let answers = Guarded<[Status]>([])
        let inLoop = Observer { [unowned clock] _ in
            answers.change { $0.append(clock.advance(by: 1)) }
        }
        try host.observe("tidy_done::", by: inLoop)
        try host.register(
            expired: { [unowned clock] call, _ in
                answers.change { $0.append(clock.advance(by: 1)) }
                _ = call.complete()
            },
            run: { [unowned clock] _ in
                answers.change { $0.append(clock.advance(by: 1)) }
                return .pending
            })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.value == [.wrongThread, .wrongThread, .wrongThread])
        #expect(clock.now == .second)
    }

    @Test("one clock drives several hosts")
    func twoHosts() throws {
        let clock = ManualClock()
        let hosts = try (0..<2).map { _ in try TestHost(clock: clock) }
        let stuck = Stuck()
        let times = Guarded<[UInt64]>([])
        for (index, host) in hosts.enumerated() {
            try host.register(
                budget: UInt64(index + 1) * .second,
                expired: { [unowned clock] _, _ in times.change { $0.append(clock.now) } },
                run: stuck.run { _ in .ok })
            _ = try host.launch()
        }
        for _ in hosts { #expect(stuck.entered.wait()) }
        clock.advance(by: 2 * .second)
        #expect(times.value == [2 * .second, 3 * .second])
        stuck.go.send(2)
    }

    @Test("started_ns, budgets and the launch's own limits are on the host's clock")
    func launchLimits() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run { _ in .ok })
        _ = host.clock?.advance(by: 41 * .second)
        let task = try host.launch(budget: 10 * .second, grace: 5 * .second)
        #expect(stuck.entered.wait())
        #expect(try host.query(task).startedAt == 42 * .second)
        _ = host.clock?.advance(by: 10 * .second - 1)
        #expect(!stuck.expired.isSet)
        _ = host.clock?.advance(by: 1)
        #expect(stuck.expired.isSet)
        _ = host.clock?.advance(by: 5 * .second - 1)
        #expect(try host.query(task).outcome == nil)
        _ = host.clock?.advance(by: 1)
        #expect(try host.query(task).outcome == .expired)
        stuck.go.send()
    }

    @Test("on the system's clock a budget expires too, and not early")
    func systemClock() throws {
        let host = try TestHost(clock: nil)
        let stuck = Stuck()
        let left = Guarded<UInt64>(1)
        try host.register(
            budget: 5 * .millisecond, expired: { _, _ in stuck.go.send() },
            run: stuck.run { call in
                left.change { $0 = call.remaining }
                return .ok
            })
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
        #expect(left.value == 0)
    }
}
