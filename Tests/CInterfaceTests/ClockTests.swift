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
        var added: [curfew_request] = []
        func add(cron: String? = nil, every: UInt64 = 0) -> Answer {
            let submitted = host.submit(cron: cron) {
                $0.on_pending = curfew_on_pending(CURFEW_ON_PENDING_ADD)
                $0.interval_ns = every
                $0.attempts = 9
            }
            if submitted.answer == .ok { added.append(submitted.request) }
            return submitted.answer
        }
        #expect(add() == .ok)
        #expect(add(every: 7 * 86_400 * .second) == .ok)
        // Whether a date after the last one is refused or never comes, nothing ends here.
        _ = add(cron: "*/5 * * * *")
        _ = add(cron: "0 0 29 2 *")
        #expect(clock.advance(86_400 * .second) == .ok)
        // One by one, since some may still run: over centuries they would be launched millions of times.
        for request in added {
            let answer = Answer(curfew_host_cancel_request(host.raw, request, nil))
            #expect([.ok, .already].contains(answer))
        }
        _ = add(cron: "0 0 29 2 *")
        // Beyond the end of spans, and of dates.
        for span in [1 << 60, .max] as [UInt64] { #expect(clock.advance(span) == .ok) }
        #expect((0...8_277_292_036_000_000_000).contains(curfew_host_get_wall_ns(host.raw)))
        #expect(Answer(curfew_clock_set_wall_ns(clock.raw, 0, nil)) == .ok)
        #expect(add() == .ok)
    }
}
