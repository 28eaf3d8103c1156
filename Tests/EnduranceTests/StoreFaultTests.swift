// SPDX-License-Identifier: Apache-2.0
import Curfew
import Dispatch
import RequestFaults
import Runner
import Scheduling
import TestSupport
import Testing

/// What a host makes of one fault of its store, at the worst moment.
@Suite("A store that fails at the worst moment", .timeLimit(.minutes(5)))
struct StoreFaultTests {
    /// How a store in memory is to fail, and what is asked of it.
    private final class Faults: Sendable {
        private let state = Locked(
            (call: "", fault: StoreFault(.io, ""), refused: 0, calls: 0))

        /// Lets a call fail, or with "" all of them work.
        func fail(_ call: String, _ kind: StoreFault.Kind = .io) {
            state.withLock {
                ($0.call, $0.fault) = (call, StoreFault(kind, "the test's store fails at \(call)"))
            }
        }

        var refused: Int { state.withLock { $0.refused } }
        var calls: Int { state.withLock { $0.calls } }

        func store() -> any RequestStore {
            TappedStore(MemoryStore()) { [self] point throws(StoreFault) in
                guard case .call(let call) = point else { return }
                let fault = state.withLock { state -> StoreFault? in
                    state.calls += 1
                    guard state.call == call else { return nil }
                    state.refused += 1
                    return state.fault
                }
                if let fault { throw fault }
            }
        }
    }

    private let clock = ManualClock()
    private let faults = Faults()

    private func host() throws -> Host {
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.log = { _, _, _, _ in }
        configuration.processing.count = 1
        configuration.requests.debounceNanoseconds = 0
        configuration.requests.openStore = { [faults] in faults.store() }
        return try Host(configuration)
    }

    /// Lets time go on until something is so.
    private func waits(_ isSo: () throws -> Bool) rethrows -> Bool {
        let until = ContinuousClock.now + .seconds(30)
        while try !isSo() {
            guard ContinuousClock.now < until else { return false }
            _ = clock.advance(by: 1_000_000_000)
        }
        return true
    }

    @Test(
        "a task that was taken back is not cancelled because that could be written down only later")
    func takenBack() throws {
        let host = try host()
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try host.register(
            HandlerDescription(identifier: "org.example.busy", kind: .processing)
        ) { _ in
            begun.signal()
            gate.wait()
        }
        try host.register(
            HandlerDescription(identifier: "org.example.tidy", kind: .processing)
        ) { _ in }
        try host.override(.network, with: .yes)
        try host.submit(RequestDescription("org.example.busy", kind: .processing))
        #expect(begun.wait(timeout: .now() + .seconds(60)) == .success)
        // The only worker is taken: its task is launched, and does not begin.
        let id = try host.submit(
            RequestDescription("org.example.tidy", kind: .processing, needs: .network)
        ).id
        #expect(try waits { try host.request(id)?.state == .running })

        // Only an end writes how an attempt ended.
        faults.fail("end")
        try host.override(.network, with: .no)
        #expect(waits { faults.refused > 0 })
        faults.fail("")
        #expect(try waits { try host.request(id)?.state != .running })
        #expect(try host.request(id)?.state == .pending)
        #expect(try host.attempts(of: id).map(\.outcome) == [.interrupted])

        gate.signal()
        try host.override(.network, with: .yes)
        #expect(try waits { try host.request(id)?.state == .finished })
        try host.shutDown()
    }

    @Test("nothing is written any more into a store that makes no sense, not even at the end")
    func corrupt() throws {
        let host = try host()
        faults.fail("insert", .corrupt)
        #expect(throws: CurfewError.self) {
            try host.submit(RequestDescription("org.example.tidy"))
        }
        faults.fail("")
        let before = faults.calls
        #expect(throws: CurfewError.self) {
            try host.submit(RequestDescription("org.example.tidy"))
        }
        try host.shutDown()
        #expect(faults.calls == before)
    }

    @Test("a host that cannot open its store, or not write into it, leaves no descriptor behind")
    func descriptors() {
        var configuration = HostConfiguration()
        configuration.log = { _, _, _, _ in }
        let before = ProcessFacts.now.descriptors
        for number in 0..<40 {
            faults.fail("append")
            configuration.requests.openStore = { [faults] () throws(StoreFault) in
                if number % 2 == 0 { throw StoreFault(.locked, "the test's store is taken") }
                return faults.store()
            }
            #expect(throws: CurfewError.self) { try Host(configuration) }
        }
        #expect(ProcessFacts.now.descriptors == before)
    }
}
