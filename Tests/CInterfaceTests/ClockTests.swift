// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// A clock that a test owns.
@Suite("The manual clock")
struct ClockTests {
    @Test("it starts at 1 s and moves only when it is advanced")
    func start() {
        let clock = TestClock()
        #expect(clock.now == .second)
        #expect(clock.advance(5) == .ok)
        #expect(clock.now == .second + 5)
        #expect(clock.advance(0) == .ok)
        #expect(clock.now == .second + 5)
        #expect(Answer(curfew_clock_destroy(nil, nil)) == .ok)
    }

    @Test("it cannot be freed while a host uses it")
    func inUse() throws {
        let clock = TestClock()
        let host = try TestHost(clock: clock)
        #expect(Answer(curfew_clock_destroy(clock.raw, nil)) == .wrongState)
        #expect(host.destroy() == .ok)
    }

    @Test(
        "a date that no machine's clock can show is INVALID",
        arguments: [.min, -1, 8_277_292_036_000_000_001, .max] as [Int64])
    func impossibleDates(date: Int64) throws {
        let clock = TestClock()
        let host = try TestHost(clock: clock)
        let before = curfew_host_get_wall_ns(host.raw)
        #expect(Answer(curfew_clock_set_wall_ns(clock.raw, date, nil)) == .invalid)
        #expect(curfew_host_get_wall_ns(host.raw) == before)
    }

    @Test(
        "at the first and the last date there is, requests of all sorts are taken and launched",
        arguments: [0, 8_277_292_036_000_000_000] as [Int64])
    func lastDates(date: Int64) throws {
        let clock = TestClock()
        let host = try TestHost(clock: clock)
        try host.register(kind: CURFEW_KIND_PROCESSING) { call in call.fail("again") }
        #expect(Answer(curfew_clock_set_wall_ns(clock.raw, date, nil)) == .ok)
        #expect(curfew_host_get_wall_ns(host.raw) == date)
        func add(cron: String? = nil, every: UInt64 = 0) -> Answer {
            host.submit(cron: cron) {
                $0.on_pending = curfew_on_pending(CURFEW_ON_PENDING_ADD)
                $0.interval_ns = every
                $0.attempts = 9
            }.answer
        }
        #expect(add() == .ok)
        #expect(add(every: 7 * 86_400 * .second) == .ok)
        // Whether a date after the last one is refused or never comes, nothing ends here.
        _ = add(cron: "*/5 * * * *")
        _ = add(cron: "0 0 29 2 *")
        #expect(clock.advance(86_400 * .second) == .ok)
        var count: UInt32 = 0
        #expect(
            Answer(curfew_host_cancel_requests(host.raw, "org.example.tidy", &count, nil)) == .ok)
        _ = add(cron: "0 0 29 2 *")
        // Beyond the end of spans, and of dates.
        for span in [1 << 60, .max] as [UInt64] { #expect(clock.advance(span) == .ok) }
        #expect((0...8_277_292_036_000_000_000).contains(curfew_host_get_wall_ns(host.raw)))
        #expect(Answer(curfew_clock_set_wall_ns(clock.raw, 0, nil)) == .ok)
        #expect(add() == .ok)
    }

    @Test("no hour passes while the function of a task that is over is about to return")
    func returning() throws {
        let host = try TestHost()
        try host.register { call in
            #expect(call.complete() == .ok)
            // Some milliseconds of work, which nothing waits for.
            var sum: UInt64 = 0
            for number in 0..<1_000_000 as Range<UInt64> { sum ^= number &* number }
            return sum == 1 ? 1 : 0
        }
        for _ in 0..<20 {
            #expect(host.wait(try host.launch()) == .ok)
            host.clock?.advance(3_600 * .second)
        }
        #expect(host.counts.lost_workers == 0)
        #expect(try !host.handler().quarantined)
    }

    @Test("nothing comes early: not a nanosecond before its deadline")
    func neverEarly() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second - 1)
        #expect(!stuck.expired.isSet)
        #expect(!host.call(task).isExpired)
        #expect(host.call(task).remaining == 1)
        host.clock?.advance(1)
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
                run: stuck.run())
            _ = try host.launch("org.example.handler\(budget)")
        }
        for _ in 0..<5 { #expect(stuck.entered.wait()) }
        clock.advance(100 * .second)
        #expect(times.now == (1...5).map { .second + $0 * .second })
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
            run: { _ in curfew_status(CURFEW_PENDING) })
        let done = Observer { [unowned clock] _ in times.change { $0.append(clock.now) } }
        try host.observe("tidy_done::", by: done)
        let task = try host.launch()
        try host.waitUntilPending(task)
        clock.advance(3_600 * .second)
        #expect(times.now == [3 * .second, 6 * .second])
    }

    @Test("advancing is refused inside a host that uses the clock")
    func wrongThread() throws {
        let host = try TestHost()
        let clock = try #require(host.clock)
        let answers = Guarded<[Answer]>([])
        let inLoop = Observer { [unowned clock] _ in
            answers.change { $0.append(clock.advance(1)) }
        }
        try host.observe("tidy_done::", by: inLoop)
        try host.register(
            expired: { [unowned clock] call, _ in
                answers.change { $0.append(clock.advance(1)) }
                _ = call.complete()
            },
            run: { [unowned clock] _ in
                answers.change { $0.append(clock.advance(1)) }
                return curfew_status(CURFEW_PENDING)
            })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.now == [.wrongThread, .wrongThread, .wrongThread])
        #expect(clock.now == .second)
    }

    @Test("one clock drives several hosts")
    func twoHosts() throws {
        let clock = TestClock()
        let hosts = try (0..<2).map { _ in try TestHost(clock: clock) }
        let stuck = Stuck()
        let times = Guarded<[UInt64]>([])
        for (index, host) in hosts.enumerated() {
            try host.register(
                budget: UInt64(index + 1) * .second,
                expired: { [unowned clock] _, _ in times.change { $0.append(clock.now) } },
                run: stuck.run())
            _ = try host.launch()
        }
        for _ in hosts { #expect(stuck.entered.wait()) }
        clock.advance(2 * .second)
        #expect(times.now == [2 * .second, 3 * .second])
        stuck.go.send(2)
    }

    @Test("started_ns, budgets and the launch's own limits are on the host's clock")
    func launchLimits() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run())
        host.clock?.advance(41 * .second)
        let task = try host.launch(budget: 10 * .second, grace: 5 * .second)
        #expect(stuck.entered.wait())
        #expect(try host.query(task).started_ns == 42 * .second)
        host.clock?.advance(10 * .second - 1)
        #expect(!stuck.expired.isSet)
        host.clock?.advance(1)
        #expect(stuck.expired.isSet)
        host.clock?.advance(5 * .second - 1)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_NONE)
        host.clock?.advance(1)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
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
                return 0
            })
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
        #expect(left.now == 0)
    }
}
