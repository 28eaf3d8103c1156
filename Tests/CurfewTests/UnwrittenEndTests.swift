// SPDX-License-Identifier: Apache-2.0
import Curfew
import RequestFaults
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("Ends of tasks that the store could not write down", .timeLimit(.minutes(5)))
struct UnwrittenEndTests {
    private let clock = ManualClock()
    private let isFull = Guarded(false)
    private let store = Shared(MemoryStore())
    private let lines = Guarded<[String]>([])

    /// Hosts one after the other have it.
    private final class Shared: @unchecked Sendable {
        // Sendable: one host uses it at a time, and the test between them.
        let memory: MemoryStore
        init(_ memory: MemoryStore) { self.memory = memory }
    }

    /// A host whose store is full while the test says so.
    private func host(at failing: StorePoint = .begun) throws -> Host {
        try Host.forTests(clock: clock) {
            $0.log = { [lines] _, _, _, line in lines.change { $0.append(line) } }
            $0.requests.openStore = { [store, isFull] in
                TappedStore(store.memory) { point throws(StoreFault) in
                    if point == failing, isFull.value { throw StoreFault(.full, "no room") }
                }
            }
        }
    }

    private func request(_ id: RequestID) throws -> Request? {
        try store.memory.read { (transaction) throws(StoreFault) in try transaction.request(id) }
    }

    /// The ends that were counted as successes.
    private func succeeded() throws -> Int64 {
        try store.memory.read { (transaction) throws(StoreFault) in
            try transaction.rollups(.minute, of: nil, in: 0..<Int64.max)
                + transaction.rollups(.hour, of: nil, in: 0..<Int64.max)
        }.reduce(0) { $0 + $1.rollup.ended(.succeeded) }
    }

    /// Submits a request and returns once its task runs.
    private func run(on host: Host, until gate: Gate) throws -> (id: RequestID, task: UInt64) {
        let begun = Gate()
        let task = Guarded<UInt64>(0)
        try host.register(.tidy) { running in
            task.change { $0 = running.id }
            begun.open()
            try gate.pass()
        }
        let id = try host.submit(RequestDescription("org.example.tidy")).id
        try begun.pass()
        return (id, task.value)
    }

    @Test("An end is reported after it is written, and the task says that it waits")
    func waits() async throws {
        let host = try host()
        let done = Guarded<[[EventValue]]>([])
        let observation = try host.observe("tidy_done::") { event in
            done.change { $0.append(event.values) }
        }
        let gate = Gate()
        let (id, task) = try run(on: host, until: gate)
        isFull.change { $0 = true }
        gate.open()
        #expect(await eventually { host.runtime.engine.query(task)?.isEndWaiting == true })
        #expect(host.runtime.engine.query(task)?.phase == .stopping)
        #expect(clock.advance(by: 3_600_000_000_000) == .ok)
        #expect(done.value == [])
        #expect(lines.value.count { $0.contains("its done event comes once it is") } == 1)

        isFull.change { $0 = false }
        #expect(clock.advance(by: 30_000_000_000) == .ok)
        #expect(await eventually { done.value == [[.bool(true), .text("")]] })
        #expect(try request(id)?.outcome == .succeeded)
        try host.shutDown()
        #expect(done.value.count == 1)
        _ = observation
    }

    @Test("An end that is not written when the host leaves was an interruption")
    func leaves() async throws {
        let first = try host()
        let done = Guarded<[[EventValue]]>([])
        let observation = try first.observe("tidy_done::") { event in
            done.change { $0.append(event.values) }
        }
        let gate = Gate()
        let (id, task) = try run(on: first, until: gate)
        isFull.change { $0 = true }
        gate.open()
        #expect(await eventually { first.runtime.engine.query(task)?.isEndWaiting == true })
        try first.shutDown()
        #expect(done.value == [[.bool(false), .text("Background task interrupted.")]])
        #expect(try request(id)?.state == .running)
        _ = observation

        isFull.change { $0 = false }
        let second = try host()
        try second.register(.tidy) { _ in }
        #expect(await eventually { (try? second.request(id))??.state == .finished })
        #expect(try second.attempts(of: id).map(\.outcome) == [.interrupted, .succeeded])
        try second.shutDown()
    }

    @Test("An end whose counts do not fit waits with them, and is counted once")
    func counted() async throws {
        let host = try host(at: .call("count"))
        let gate = Gate()
        let (id, task) = try run(on: host, until: gate)
        isFull.change { $0 = true }
        gate.open()
        #expect(await eventually { host.runtime.engine.query(task)?.isEndWaiting == true })
        #expect(try request(id)?.state == .running)
        #expect(clock.advance(by: 3_600_000_000_000) == .ok)
        #expect(try succeeded() == 0)

        isFull.change { $0 = false }
        #expect(clock.advance(by: 30_000_000_000) == .ok)
        #expect(await eventually { (try? request(id))??.state == .finished })
        #expect(try succeeded() == 1)
        try host.shutDown()
        #expect(try succeeded() == 1)
    }

    @Test("An end that was written though the store said otherwise is told as it was")
    func inDoubt() async throws {
        let host = try host(at: .committed)
        let done = Guarded<[[EventValue]]>([])
        let observation = try host.observe("tidy_done::") { event in
            done.change { $0.append(event.values) }
        }
        let gate = Gate()
        let (id, task) = try run(on: host, until: gate)
        isFull.change { $0 = true }
        gate.open()
        #expect(await eventually { host.runtime.engine.query(task)?.isEndWaiting == true })
        #expect(try request(id)?.state == .finished)
        isFull.change { $0 = false }
        #expect(clock.advance(by: 30_000_000_000) == .ok)
        #expect(await eventually { done.value == [[.bool(true), .text("")]] })
        #expect(try host.journal(of: id).map(\.what) == [.submitted, .launched, .ended, .finished])
        try host.shutDown()
        _ = observation
    }
}
