// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import RequestFaults
import Scheduling
import TestSupport
import Testing

@Suite("Dates, durations and asynchronous calls of the Swift API")
struct DesignedAPITests {
    private static let tidy = "org.example.tidy"

    @Test("A retry policy and a repetition are the spans they are made of")
    func spans() throws {
        let policy = RetryPolicy.exponential(
            attempts: 3, initialDelay: .seconds(2), maximum: .minutes(1), jitter: 0)
        #expect(
            policy
                == RetryPolicy(attempts: 3, base: 2_000_000_000, longest: 60_000_000_000, jitter: 0)
        )
        #expect(Repetition.every(.hours(1)) == Repetition(.every(3_600_000_000_000)))
        let nightly = try Repetition.cron("30 3 * * *", inUTC: true, catchUp: .skip)
        #expect(
            nightly
                == Repetition(.cron(try CronSchedule("30 3 * * *"), isLocal: false), catchUp: .skip)
        )
        let error = #expect(throws: CurfewError.self) { try Repetition.cron("30 25 * * *") }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("hour") == true)
    }

    @Test("A request keeps its dates")
    func dates() {
        let noon = Instant(nanosecondsSince1970: 1_767_268_800_000_000_000)
        var request = RequestDescription(
            for: Self.tidy, notBefore: noon, deadline: noon + .hours(24))
        #expect(request.earliest == 1_767_268_800_000_000_000)
        #expect(request.latest == 1_767_355_200_000_000_000)
        request.deadline = nil
        #expect(request.latest == nil)
        #expect(request.notBefore?.duration(to: noon + .seconds(90)) == .seconds(90))
        #expect(noon - .seconds(1) < noon)
    }

    @Test("Dates that are too far away are cut")
    func farDates() {
        let last = Instant(nanosecondsSince1970: .max)
        #expect(last + .hours(24) == last)
        #expect(
            Instant(nanosecondsSince1970: .min) - .hours(24) == Instant(nanosecondsSince1970: .min))
    }

    @Test("A request is submitted and explained without blocking a thread of the pool")
    func asynchronousCalls() async throws {
        let clock = ManualClock()
        let host = try Host.forTests(clock: clock)
        let later = clock.date + .hours(1)
        var ids: [RequestID] = []
        for _ in 0..<3 {
            ids.append(
                try await host.submit(
                    RequestDescription(
                        for: Self.tidy, kind: .processing, notBefore: later, onPending: .add)
                ).id)
        }
        #expect(ids.map(\.rawValue) == [1, 2, 3])
        let reports = try await host.why(ids[0])
        #expect(reports.contains { $0.factor == .date && $0.holds && $0.end == later })
        #expect(try host.request(ids[2])?.due == later)
        await #expect(throws: CurfewError.self) { _ = try await host.why(RequestID(rawValue: 99)) }
        try host.shutDown()
    }

    @Test(
        "More waits than Swift's pool has threads leave the pool free", .timeLimit(.minutes(5)))
    func waitsBlockNoThread() async throws {
        let gate = Gate()
        let isBusy = Guarded(false)
        let host = try Host.forTests {
            $0.requests.openStore = {
                TappedStore(MemoryStore()) { _ throws(StoreFault) in
                    guard isBusy.value else { return }
                    do { try gate.pass() } catch { throw StoreFault(.busy, "\(error)") }
                }
            }
        }
        try host.register(Self.tidy) { _ in try gate.pass() }
        let pending = try await host.submit(
            RequestDescription(for: Self.tidy, notBefore: .now + .hours(1)))
        isBusy.change { $0 = true }
        let task = try host.launch(Self.tidy)
        let events = try host.events(named: "tidy_done::")
        let count = 4 * sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let loops = (0..<count).map { _ in
            Task {
                var seen = 0
                for await _ in events { seen += 1 }
                return seen
            }
        }
        let waits = try (0..<count).map { try host.expect("end_\($0)") }
        let ended = await withTaskGroup { group in
            for wait in waits {
                group.addTask { await task.result.outcome == .succeeded }
                group.addTask { (try? await wait.event()) != nil }
                group.addTask { (try? await host.why(pending.id))?.isEmpty == false }
                group.addTask {
                    let again = RequestDescription(for: Self.tidy, onPending: .keep)
                    return (try? await host.submit(again)) == .duplicatePending(pending.id)
                }
            }
            // It runs only if the waits above have left it a thread of the pool.
            group.addTask {
                gate.open()
                return (0..<count).allSatisfy { (try? host.raise("end_\($0)")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == 4 * count + 1)
        try host.shutDown()
        var seen = 0
        for loop in loops { seen += await loop.value }
        #expect(seen == 1)
    }

    @Test("A host that was not shut down writes so to its log, and is shut down")
    func dropped() throws {
        let lines = Guarded<[String]>([])
        var configuration = HostConfiguration()
        configuration.log = { level, _, _, line in lines.change { $0.append("\(level) \(line)") } }
        do {
            let host = try Host(configuration)
            try host.register(Self.tidy) { _ in }
        }
        #expect(lines.value.filter { $0.hasPrefix("warning a host was dropped") }.count == 1)
        lines.change { $0 = [] }
        do {
            let host = try Host(configuration)
            try host.shutDown()
        }
        #expect(lines.value == [])
    }

    @Test("A handler has the durations that it is described with")
    func handlerDurations() throws {
        let host = try Host.forTests()
        let info = try host.register(
            Self.tidy, kind: .processing, budget: .seconds(3), grace: .milliseconds(20)
        ) { _ in }
        #expect(info.kind == .processing)
        #expect(info.budget == .seconds(3))
        #expect(info.grace == .milliseconds(20))
        try host.shutDown()
    }
}
