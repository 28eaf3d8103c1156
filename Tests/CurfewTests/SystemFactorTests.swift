// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import Testing

/// What the source documents say of the system's own reasons, carried through in a host.
@Suite("The system decides, for several reasons", .timeLimit(.minutes(2)))
struct SystemFactorTests {
    private let clock = ManualClock()
    private let second: Int64 = 1_000_000_000
    private let hour: UInt64 = 3_600_000_000_000
    private var calm: RequestDescription {
        var description = RequestDescription("org.example.tidy")
        description.opportunistic = .calm
        return description
    }

    private func host(_ change: (inout HostConfiguration) -> Void = { _ in }) throws -> Host {
        let host = try Host.forTests(clock: clock) {
            $0.requests.debounceNanoseconds = 0
            change(&$0)
        }
        try host.register(.tidy) { _ in }
        return host
    }

    private func reaches(_ host: Host, _ id: RequestID, _ state: RequestState) async -> Bool {
        await eventually { (try? host.request(id))??.state == state }
    }

    private func holding(_ host: Host, _ id: RequestID) throws -> [Factor] {
        try host.why(id).filter(\.holds).map(\.factor)
    }

    @Test(
        "S0.38, S1.1: how often it is launched depends on several things at once, and each is told")
    func several() async throws {
        let host = try host { $0.requests.dayBudget = DayBudget(limits: DayLimits(launches: 0)) }
        try host.override(.battery, with: .no)
        try host.override(.lowPowerMode, with: .no)
        try host.set(refresh: .denied, enablement: .suspended, for: .all)
        let id = try await host.submit(calm).id
        #expect(
            try Set(holding(host, id)) == [
                .battery, .lowPowerMode, .refreshSetting, .enablement, .dayBudget,
            ])
        #expect(try host.request(id)?.state == .pending)
        try host.shutDown()
    }

    @Test(
        "S1.6, S1.28: what waits for its app to be used is launched shortly before the usual hour")
    func usage() async throws {
        let host = try host { $0.requests.usageThreshold = 0.3 }
        // Four weeks of a user who looks at it in the morning, at a quarter past this hour.
        #expect(clock.advance(by: hour / 4) == .ok)
        for _ in 1...28 {
            try host.noteUsage()
            #expect(clock.advance(by: 24 * hour) == .ok)
        }
        // Half a day away from it nothing is launched; an hour before it is.
        #expect(clock.advance(by: 12 * hour) == .ok)
        let id = try await host.submit(calm).id
        #expect(try holding(host, id) == [.usage])
        #expect(clock.advance(by: 10 * hour) == .ok)
        #expect(try host.request(id)?.state == .pending)
        #expect(clock.advance(by: hour) == .ok)
        #expect(await reaches(host, id, .finished))
        try host.shutDown()
    }

    @Test("S1.8: a day has a budget; when it is spent, what is left waits for the next day")
    func dayBudget() async throws {
        let host = try host { $0.requests.dayBudget = DayBudget(limits: DayLimits(launches: 1)) }
        let first = try await host.submit(calm).id
        #expect(await reaches(host, first, .finished))
        let second = try await host.submit(calm).id
        #expect(try holding(host, second) == [.dayBudget])
        #expect(try host.dayBalance().launches == 0)
        #expect(clock.advance(by: 24 * hour) == .ok)
        #expect(await reaches(host, second, .finished))
        try host.shutDown()
    }

    @Test("S1.9: between two launches of a handler there is a time, however often it asks")
    func rate() async throws {
        let host = try host { $0.requests.rate = LaunchRate(spacing: hour) }
        let first = try await host.submit(calm).id
        #expect(await reaches(host, first, .finished))
        let second = try await host.submit(calm).id
        #expect(try holding(host, second) == [.launchRate])
        #expect(clock.advance(by: hour - 1) == .ok)
        #expect(try host.request(second)?.state == .pending)
        #expect(clock.advance(by: 1) == .ok)
        #expect(await reaches(host, second, .finished))
        try host.shutDown()
    }

    @Test("S1.30: where the first unlock counts, nothing is launched before it")
    func firstUnlock() async throws {
        let host = try host { $0.requests.policy.ignored = [] }
        try host.override(.firstUnlock, with: .no)
        let id = try await host.submit(RequestDescription("org.example.tidy")).id
        #expect(try holding(host, id) == [.firstUnlock])
        try host.override(.firstUnlock, with: .yes)
        #expect(await reaches(host, id, .finished))
        try host.shutDown()
    }
}
