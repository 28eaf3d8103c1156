// SPDX-License-Identifier: Apache-2.0
import Curfew
import Dispatch
import Runner
import Scheduling
import Synchronization
import TestSupport
import Testing

@Suite("Requests of a host", .timeLimit(.minutes(5)))
struct RequestTests {
    private let clock = ManualClock()
    private let second: Int64 = 1_000_000_000

    private func host(_ change: (inout HostConfiguration) -> Void = { _ in }) throws -> Host {
        try Host.forTests(clock: clock) {
            $0.requests.debounceNanoseconds = 0
            change(&$0)
        }
    }

    private func tidy(_ change: (inout RequestDescription) -> Void = { _ in })
        -> RequestDescription
    {
        var description = RequestDescription("org.example.tidy")
        change(&description)
        return description
    }

    /// Waits until a request is in a state.
    private func reaches(_ host: Host, _ id: RequestID, _ state: RequestState) async -> Bool {
        await eventually { (try? host.request(id))??.state == state }
    }

    @Test("A request is launched with its payload, and its end is written down")
    func wholeLife() async throws {
        let host = try host()
        let seen = Guarded<[UInt8]>([])
        try host.register(.tidy) { task in seen.change { $0 = task.payload } }
        let id = try await host.submit(tidy(), payload: [1, 2, 3]).id
        #expect(await reaches(host, id, .finished))
        #expect(seen.value == [1, 2, 3])
        let attempt = try #require(try host.attempts(of: id).first)
        #expect(attempt.outcome == .succeeded)
        #expect(attempt.number == 1)
        #expect(try host.request(id)?.outcome == .succeeded)
        #expect(
            try host.journal(of: id).map(\.what) == [.submitted, .launched, .ended, .finished])
        try host.shutDown()
    }

    @Test("It waits for its date, not a moment less")
    func date() async throws {
        let host = try host()
        try host.register(.tidy) { _ in }
        let now = host.runtime.requests.moment.wall
        let id = try await host.submit(tidy { $0.earliest = now + 900 * second }).id
        #expect(clock.advance(by: UInt64(900 * second - 1)) == .ok)
        #expect(try host.request(id)?.state == .pending)
        let reports = try await host.why(id)
        #expect(reports.first?.factor == .date)
        #expect(reports.filter(\.holds).count == 1)
        #expect(host.earliestLaunch(reports)?.nanosecondsSince1970 == now + 900 * second)
        #expect(clock.advance(by: 1) == .ok)
        #expect(await reaches(host, id, .finished))
        try host.shutDown()
    }

    @Test("While a factor holds it, nothing more is due: years pass at once")
    func heldForYears() async throws {
        let host = try host()
        try host.register(.tidy) { _ in }
        try host.override(.network, with: .no, detail: "the cable is out")
        let id = try await host.submit(tidy { $0.needs = .network }).id
        #expect(clock.advance(by: UInt64(900 * second)) == .ok)
        #expect(clock.nextDeadline == nil)
        #expect(clock.advance(by: UInt64(40 * 365 * 86_400 * second)) == .ok)
        #expect(try host.journal(of: id).map(\.what) == [.submitted, .held])
        try host.shutDown()
    }

    @Test("A factor that says no holds it back, and says why; undone, it is launched")
    func factor() async throws {
        let host = try host()
        try host.register(.tidy) { _ in }
        try host.override(.network, with: .no, detail: "the cable is out")
        let id = try await host.submit(tidy { $0.needs = .network }).id
        let report = try #require(try await host.why(id).first { $0.holds })
        #expect(report.factor == .network)
        #expect(report.detail == "the cable is out")
        #expect(report.source == "embedder")
        #expect(report.change == "connect it to a network")
        #expect(try host.request(id)?.state == .pending)
        try host.override(.network, with: .yes)
        #expect(await reaches(host, id, .finished))
        try host.shutDown()
    }

    @Test("A factor that is lost while its task runs expires the task, with the reason")
    func lost() async throws {
        let host = try host()
        let reason = Guarded<StopReason?>(nil)
        let (begun, gate) = (Gate(), Gate())
        try host.register(.tidy) { _, why in
            reason.change { $0 = why }
            gate.open()
        } run: { _ in
            begun.open()
            try gate.pass()
        }
        try host.override(.externalPower, with: .yes)
        let id = try await host.submit(tidy { $0.needs = .externalPower }).id
        try begun.pass()
        try host.override(.externalPower, with: .no)
        #expect(await reaches(host, id, .finished))
        #expect(reason.value == .condition)
        let attempt = try #require(try host.attempts(of: id).first)
        #expect(attempt.outcome == .expired)
        #expect(attempt.reason == .condition)
        try host.shutDown()
    }

    @Test(
        "What a handler needs holds its requests back, too, and changes of the machine are journalled"
    )
    func handlersNeeds() async throws {
        let host = try host()
        var description = HandlerDescription.tidy
        description.needs = .network
        try host.register(description) { _ in }
        try host.override(.network, with: .no, detail: "the cable is out")
        let id = try await host.submit(tidy()).id
        #expect(try await host.why(id).first?.factor == .network)
        try host.override(.network, with: .yes, detail: "the cable is in")
        #expect(await reaches(host, id, .finished))
        #expect(
            try host.journal().filter { $0.what == .factorChanged }.map(\.detail) == [
                "network: no, the cable is out", "network: yes, the cable is in",
            ])
        try host.shutDown()
    }

    @Test("What is not kept any more is told as a gap")
    func gap() async throws {
        let host = try host {
            $0.requests.limits.historyCount = 1
            $0.requests.limits.pending[.appRefresh] = 100
        }
        for _ in 0..<20 { try await host.submit(tidy()) }
        #expect(clock.advance(by: 120_000_000_000) == .ok)
        try await host.submit(tidy())
        let entries = try host.journal()
        let gap = try #require(entries.first)
        #expect(gap.what == .gap)
        #expect(gap.sequence > 1)
        #expect(gap.detail == "\(gap.sequence) entries are not kept any more")
        #expect(
            entries.map(\.sequence)
                == Array(gap.sequence...gap.sequence + UInt64(entries.count) - 1))
        try host.shutDown()
    }

    @Test("A failed request is tried again after a pause, with the next attempt's number")
    func retry() async throws {
        let host = try host()
        let attempts = Guarded<[UInt32]>([])
        struct No: Error {}
        try host.register(.tidy) { task in
            attempts.change { $0.append(task.attempt) }
            if task.attempt < 3 { throw No() }
        }
        let id = try await host.submit(
            tidy { $0.retry = RetryPolicy(attempts: 5, base: 10_000_000_000, jitter: 0) }
        ).id
        #expect(await eventually { (try? host.request(id))??.reason == .backOff })
        #expect(clock.advance(by: 9_999_999_999) == .ok)
        #expect(attempts.value == [1])
        #expect(clock.advance(by: 1) == .ok)
        #expect(await eventually { (try? host.request(id))??.attempts == 2 })
        #expect(clock.advance(by: 20_000_000_000) == .ok)
        #expect(await reaches(host, id, .finished))
        #expect(attempts.value == [1, 2, 3])
        try host.shutDown()
    }

    @Test("Submitting is told by an event, whether it went well or not")
    func event() async throws {
        let host = try host { $0.requests.limits.pending[.appRefresh] = 1 }
        try host.register(.tidy) { _ in }
        try host.pause()
        let done = try host.expect("schedulingtidy_done::")
        try await host.submit(tidy())
        #expect(try await done.event().values == [.bool(true), .text("")])
        let refused = try host.expect("schedulingtidy_done::")
        #expect(throws: CurfewError.self) {
            try host.submit(tidy { $0.onPending = .add })
        }
        let values = try await refused.event().values
        #expect(values.first == .bool(false))
        try host.shutDown()
    }

    @Test("A second request of an identifier replaces the first if it asks for that")
    func replaces() async throws {
        let host = try host()
        try host.register(.tidy) { _ in }
        try host.pause("org.example.tidy")
        let first = try await host.submit(tidy()).id
        let second = try await host.submit(tidy { $0.onPending = .replace })
        #expect(second == .queued(RequestID(rawValue: 2), replaced: [first]))
        #expect(try host.request(first)?.state == .replaced)
        #expect(try host.cancelRequests() == 1)
        try host.shutDown()
    }

    @Test("Cancelling a request whose task runs cancels the task, and both are over")
    func cancels() async throws {
        let host = try host()
        let gate = Gate()
        try host.register(.tidy) { _, _ in
            gate.open()
        } run: { _ in
            try gate.pass()
        }
        let id = try await host.submit(tidy { $0.retry = RetryPolicy(attempts: 9) }).id
        #expect(await reaches(host, id, .running))
        #expect(try host.cancel(id))
        #expect(await reaches(host, id, .cancelled))
        #expect(try host.attempts(of: id).first?.outcome == .cancelled)
        #expect(try host.cancel(id) == false)
        try host.shutDown()
    }

    @Test("What runs when the host shuts down is interrupted, uses no attempt and stays")
    func shutdown() async throws {
        // The host's until its shutdown is over, then the test's.
        nonisolated(unsafe) let store = MemoryStore()
        let host = try host { $0.requests.openStore = { store } }
        let gate = Gate()
        try host.register(.tidy) { _, _ in
            gate.open()
        } run: { _ in
            try gate.pass()
        }
        let id = try await host.submit(tidy()).id
        #expect(await reaches(host, id, .running))
        try host.shutDown()
        let request = try store.read { (transaction) throws(StoreFault) in
            try transaction.request(id)
        }
        #expect(request?.state == .pending)
        #expect(request?.attempts == 0)
        #expect(request?.outcome == .interrupted)
    }

    @Test("A simulated launch ignores everything that holds back, and can be expired")
    func simulation() async throws {
        let lines = Guarded<[String]>([])
        let host = try host {
            $0.log = { _, _, _, line in lines.change { $0.append(line) } }
        }
        let (begun, gate) = (Gate(), Gate())
        try host.register(.tidy) { _, _ in
            gate.open()
        } run: { _ in
            begun.open()
            try gate.pass()
        }
        #expect(throws: CurfewError.self) { try host.simulateLaunch("org.example.tidy") }
        let now = host.runtime.requests.moment.wall
        let id = try await host.submit(tidy { $0.earliest = now + 900 * second }).id
        #expect(throws: CurfewError.self) { try host.simulateExpiration("org.example.tidy") }
        #expect(try host.simulateLaunch("org.example.tidy") == id)
        try begun.pass()
        try host.simulateExpiration("org.example.tidy")
        #expect(await reaches(host, id, .finished))
        #expect(try host.request(id)?.outcome == .expired)
        #expect(
            lines.value == [
                "Simulating launch for task with identifier org.example.tidy",
                "No task request with identifier org.example.tidy has been scheduled",
                "Simulating expiration for task with identifier org.example.tidy",
                "Task with identifier org.example.tidy is not currently being simulated",
                "Simulating launch for task with identifier org.example.tidy",
                "Starting simulated task: <BGAppRefreshTask: org.example.tidy>",
                "Simulating expiration for task with identifier org.example.tidy",
                "Marking simulated task complete: <BGAppRefreshTask: org.example.tidy>",
            ])
        try host.shutDown()
    }

    @Test(
        "A factor that is lost before its task has begun takes the task back, and the request waits"
    )
    func lostBefore() async throws {
        let host = try host { $0.appRefresh.count = 1 }
        let (begun, gate) = (Gate(), Gate())
        try host.register(HandlerDescription(identifier: "org.example.busy")) { _ in
            begun.open()
            try gate.pass()
        }
        let ran = Guarded(0)
        try host.register(.tidy) { _ in ran.change { $0 += 1 } }
        try host.launch("org.example.busy")
        try begun.pass()
        try host.override(.network, with: .yes)
        let id = try await host.submit(tidy { $0.needs = .network }).id
        #expect(await reaches(host, id, .running))
        try host.override(.network, with: .no)
        #expect(await reaches(host, id, .pending))
        #expect(try host.request(id)?.attempts == 0)
        gate.open()
        try host.override(.network, with: .yes)
        #expect(await reaches(host, id, .finished))
        #expect(ran.value == 1)
        try host.shutDown()
    }

    @Test("A clock that is set a year forward launches a repeated request once")
    func clockForward() async throws {
        let host = try host()
        let count = Guarded(0)
        try host.register(.tidy) { _ in count.change { $0 += 1 } }
        let now = host.runtime.requests.moment.wall
        let id = try await host.submit(
            tidy {
                $0.earliest = now + 60 * second
                $0.repetition = Repetition(.every(60_000_000_000))
            }
        ).id
        #expect(clock.setWall(now + 31_536_000 * second) == .ok)
        #expect(await eventually { count.value == 1 })
        #expect(await reaches(host, id, .pending))
        #expect(clock.advance(by: 59_000_000_000) == .ok)
        #expect(count.value == 1)
        #expect(clock.setWall(now) == .ok)
        let request = try #require(try host.request(id))
        #expect(request.notBefore <= now + 60 * second)
        try host.shutDown()
    }

    @Test("A handler that asks for its next request without a date is launched less and less often")
    func floor() async throws {
        let host = try host { $0.requests.floor = 900_000_000_000 }
        let launches = Guarded<[Int64]>([])
        let begin = clock.moment.wall
        try host.register(.tidy) { [tidy, clock, second] _ in
            launches.change { $0.append((clock.moment.wall - begin) / second) }
            try host.submit(tidy { _ in })
        }
        func live(_ state: RequestState) -> [Request]? {
            try? host.requests(in: [state])
        }
        try await host.submit(tidy())
        for _ in 0..<3_600 {
            #expect(await eventually { live(.running) == [] && live(.pending)?.count == 1 })
            #expect(clock.advance(by: UInt64(second)) == .ok)
        }
        #expect(await eventually { live(.running) == [] && live(.pending)?.count == 1 })
        #expect(
            launches.value == [0, 0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023, 1_923, 2_823])
        let waiting = try #require(live(.pending)?.first)
        let report = try #require(try await host.why(waiting.id).first)
        #expect(report.factor == .date)
        #expect(report.until == begin + 3_723 * second)
        #expect(
            report.detail
                == "it asks for no date, and others of its identifier without one were launched lately: the pause before the next grows with each up to 15 min"
        )
        try host.shutDown()
    }

    @Test("A host that is started again goes on with the floor of the one before")
    func floorOfNextHost() async throws {
        nonisolated(unsafe) let store = MemoryStore()
        let launches = Guarded<[Int64]>([])
        let begin = clock.moment.wall
        for number in 1...6 {
            let host = try host {
                $0.requests.openStore = { store }
                $0.requests.floor = 900_000_000_000
            }
            try host.register(.tidy) { [clock, second] _ in
                launches.change { $0.append((clock.moment.wall - begin) / second) }
            }
            let id = try await host.submit(tidy { $0.onPending = .replace }).id
            while launches.value.count < number {
                let request = try host.request(id)
                if request?.state == .pending, request?.marks.contains(.floored) == true {
                    #expect(clock.advance(by: UInt64(second)) == .ok)
                }
                await Task.yield()
            }
            #expect(await eventually { (try? host.request(id))??.state == .finished })
            try host.shutDown()
        }
        #expect(launches.value == [0, 1, 3, 7, 15, 31])
    }

    @Test("A request that is repeated has a floor before its first launch")
    func floorOfRepeated() async throws {
        let host = try host { $0.requests.floor = 900_000_000_000 }
        let launches = Guarded<[Int64]>([])
        let begin = clock.moment.wall
        try host.register(.tidy) { [tidy, clock, second] _ in
            launches.change { $0.append((clock.moment.wall - begin) / second) }
            try host.submit(
                tidy {
                    $0.onPending = .replace
                    $0.repetition = Repetition(.every(3_600_000_000_000))
                })
        }
        try await host.submit(
            tidy {
                $0.onPending = .replace
                $0.repetition = Repetition(.every(3_600_000_000_000))
            })
        for _ in 0..<40 {
            #expect(
                await eventually {
                    (try? host.requests(in: [.running])) == []
                })
            #expect(clock.advance(by: UInt64(second)) == .ok)
        }
        #expect(
            await eventually { (try? host.requests(in: [.running])) == [] })
        #expect(launches.value == [0, 1, 3, 7, 15, 31])
        try host.shutDown()
    }

    @Test("Launches that seem to be still to come do not hold the next one back")
    func floorAfterClockWasSet() async throws {
        nonisolated(unsafe) let store = MemoryStore()
        let count = Guarded(0)
        func start() throws -> Host {
            let host = try host {
                $0.requests.openStore = { store }
                $0.requests.floor = 900_000_000_000
            }
            try host.register(.tidy) { _ in count.change { $0 += 1 } }
            return host
        }
        let first = try start()
        try await first.submit(tidy { $0.onPending = .replace })
        #expect(await eventually { count.value == 1 })
        try first.shutDown()
        #expect(clock.setWall(clock.moment.wall - 86_400 * second) == .ok)
        let next = try start()
        try await next.submit(tidy { $0.onPending = .replace })
        #expect(await eventually { count.value == 2 })
        try next.shutDown()
    }

    @Test("What has a date, or is added to others, has no floor; nor has a simulated launch")
    func noFloor() async throws {
        let host = try host {
            $0.requests.floor = 900_000_000_000
        }
        let count = Guarded(0)
        try host.register(.tidy) { _ in count.change { $0 += 1 } }
        for number in 1...20 {
            try await host.submit(tidy { $0.onPending = .add })
            #expect(await eventually { count.value == number })
        }
        for number in 1...20 {
            try await host.submit(tidy { $0.earliest = clock.moment.wall + 1 })
            #expect(clock.advance(by: 1) == .ok)
            #expect(await eventually { count.value == 20 + number })
        }
        // A date that has passed is none.
        try await host.submit(
            tidy {
                $0.onPending = .replace
                $0.earliest = clock.moment.wall
            })
        #expect(await eventually { count.value == 41 })
        let held = try await host.submit(
            tidy {
                $0.onPending = .replace
                $0.earliest = clock.moment.wall
            }
        ).id
        // The handler counts before its task is over, which holds the next one back, too.
        let floor = clock.moment.wall + second
        for _ in 0..<10_000 where try await host.why(held).first?.until != floor {
            await Task.yield()
        }
        #expect(try await host.why(held).first?.until == floor)
        #expect(try host.simulateLaunch("org.example.tidy") == held)
        #expect(await eventually { count.value == 42 })
        try host.shutDown()
    }

    @Test(
        "A back-off lasts as long as it says, whether the clock is set while there is a host or not",
        arguments: [-31_536_000, -3_600, 31_536_000], [false, true])
    func backOff(shift: Int64, isBetweenHosts: Bool) async throws {
        // One host uses it after the other.
        nonisolated(unsafe) let store = MemoryStore()
        let attempts = Guarded<[UInt32]>([])
        struct No: Error {}
        func start() throws -> Host {
            let host = try self.host { $0.requests.openStore = { store } }
            try host.register(.tidy) { task in
                attempts.change { $0.append(task.attempt) }
                if task.attempt == 1 { throw No() }
            }
            return host
        }
        var host = try start()
        let id = try await host.submit(
            tidy { $0.retry = RetryPolicy(attempts: 2, base: 10_000_000_000, jitter: 0) }
        ).id
        #expect(await eventually { (try? host.request(id))??.reason == .backOff })
        #expect(clock.advance(by: 4_000_000_000) == .ok)
        if isBetweenHosts { try host.shutDown() }
        #expect(clock.setWall(clock.moment.wall + shift * second) == .ok)
        if isBetweenHosts { host = try start() }
        #expect(clock.advance(by: 5_999_999_999) == .ok)
        #expect(attempts.value == [1])
        #expect(clock.advance(by: 1) == .ok)
        #expect(await reaches(host, id, .finished))
        #expect(attempts.value == [1, 2])
        try host.shutDown()
    }

    @Test(
        "A repetition comes no later than its interval after the clock was set back between hosts")
    func repetitionBetweenHosts() async throws {
        nonisolated(unsafe) let store = MemoryStore()
        let first = try host { $0.requests.openStore = { store } }
        try first.register(.tidy) { _ in }
        let id = try await first.submit(tidy { $0.repetition = Repetition(.every(60_000_000_000)) })
            .id
        #expect(await eventually { (try? first.request(id))??.reason == .repetition })
        try first.shutDown()
        #expect(clock.setWall(clock.moment.wall - 31_536_000 * second) == .ok)
        let next = try host { $0.requests.openStore = { store } }
        try next.register(.tidy) { _ in }
        #expect(clock.advance(by: 60_000_000_000) == .ok)
        #expect(await eventually { (try? next.request(id))??.launches == 2 })
        try next.shutDown()
    }

    @Test("A request for which no thread can be started goes back, and is launched with one")
    func noThread() async throws {
        let host = try host { $0.appRefresh.stackBytes = 1 << 30 }
        try host.register(.tidy) { _ in }
        let limit = try #require(AddressSpaceLimit(room: 256 << 20))
        let id = try await host.submit(tidy()).id
        #expect(await eventually { (try? host.request(id))??.reason == .snoozed })
        #expect(try host.request(id)?.attempts == 0)
        #expect(try host.attempts(of: id).first?.error == "no thread could be started for it")
        limit.lift()
        #expect(clock.advance(by: 1_000_000_000) == .ok)
        #expect(await reaches(host, id, .finished))
        #expect(try host.attempts(of: id).map(\.number) == [1, 1])
        try host.shutDown()
    }

    @Test("Thousands of requests from many threads at once are all launched and written down")
    func crowd() async throws {
        let host = try Host.forTests {
            $0.requests.limits.pending[.appRefresh] = 1_000_000
        }
        let ran = Atomic<Int>(0)
        try host.register(HandlerDescription(identifier: "org.example.tidy", maxConcurrency: 16)) {
            _ in ran.wrappingAdd(1, ordering: .relaxed)
        }
        let (threads, each) = (8, 500)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<each {
                do {
                    try host.submit(tidy { $0.onPending = .add })
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(await eventually { ran.load(ordering: .relaxed) == threads * each })
        #expect(
            await eventually {
                (try? host.requests(in: [.pending, .running]).isEmpty) == true
            })
        try host.shutDown()
    }
}
