// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import TestSupport
import Testing

@Suite("Waiting for an event", .timeLimit(.minutes(5)))
struct EventWaitTests {
    private let host: Host

    init() throws { host = try Host.forTests() }

    @Test("What is expected before the launch is not missed, however late it is asked for")
    func expectThenLaunch() async throws {
        try host.register(.tidy) { _ in }
        let wait = try host.expect("tidy_done::")
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        let event = try await wait.event(within: .seconds(60))
        #expect(event.task == task.id)
        #expect(event.values == [.bool(true), .text("")])
        // Asked again it tells the same event.
        #expect(try await wait.event().sequence == event.sequence)
    }

    @Test("A wait for one task leaves the events of others alone")
    func waitForOneTask() async throws {
        let gate = Gate()
        try host.register(.tidy) { _ in try gate.pass() }
        let first = try host.launch("org.example.tidy")
        let second = try host.launch("org.example.tidy")
        let any = try host.expect("tidy_done::")
        let one = try host.expect("tidy_done::", of: second)
        gate.open()
        #expect(try await one.event(within: .seconds(60)).task == second.id)
        #expect(try await any.event(within: .seconds(60)).task == first.id)
    }

    @Test("An event that a wait took is not seen by subscribers, but by observers of all")
    func waitersFirst() async throws {
        let subscribed = Guarded<[HostEvent]>([])
        let observed = Guarded<[HostEvent]>([])
        let subscriber = try host.observe("hello:") { event in
            subscribed.change { $0.append(event) }
        }
        let observer = try host.observe { event in observed.change { $0.append(event) } }
        let wait = try host.expect("hello:")
        let end = try host.expect("end")
        try host.raise("hello", .int32(1))
        try host.raise("hello", .int32(2))
        try host.raise("end")
        #expect(try await wait.event(within: .seconds(60)).values == [.int32(1)])
        _ = try await end.event(within: .seconds(60))
        #expect(subscribed.value.transcript == ["hello(2)"])
        #expect(observed.value.transcript == ["hello(1)", "hello(2)", "end()"])
        withExtendedLifetime((subscriber, observer)) {}
    }

    @Test("An event of another arity does not end a wait")
    func arityMatters() async throws {
        let wait = try host.expect("hello:")
        try host.raise("hello")
        try host.raise("hello", .bool(true))
        #expect(try await wait.event(within: .seconds(60)).values == [.bool(true)])
    }

    @Test("A wait ends at its limit")
    func timesOut() async throws {
        let error = await #expect(throws: CurfewError.self) {
            try await host.expect("never").event(within: .milliseconds(1))
        }
        #expect(error?.code == .timedOut)
    }

    @Test("After the limit of a wait the next event goes to others")
    func timedOutWaitIsGone() async throws {
        let wait = try host.expect("hello")
        await #expect(throws: CurfewError.self) { try await wait.event(within: .zero) }
        let next = try host.expect("hello")
        try host.raise("hello")
        #expect(try await next.event(within: .seconds(60)).selector.name == "hello")
    }

    @Test("A newer wait for the same takes the place of an older one, which is told")
    func isReplaced() async throws {
        let old = try host.expect("hello")
        let new = try host.expect("hello")
        await #expect(throws: CancellationError.self) { try await old.event(within: .seconds(60)) }
        try host.raise("hello")
        #expect(try await new.event(within: .seconds(60)).selector.name == "hello")
    }

    @Test("A cancelled Swift task stops waiting")
    func isCancelled() async throws {
        let host = host
        let waiting = Task { try await host.expect("never").event() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("Two Swift tasks may ask the same wait, and both are told")
    func isAskedTwice() async throws {
        let wait = try host.expect("hello")
        let asked = [Task { try await wait.event() }, Task { try await wait.event() }]
        for _ in 0..<100 { await Task.yield() }
        try host.raise("hello")
        for one in asked { #expect(try await one.value.selector.name == "hello") }
    }

    @Test("A shutdown ends every wait, and later ones are refused")
    func closing() async throws {
        let host = host
        let wait = try host.expect("never")
        let waiting = Task { try await wait.event() }
        try host.shutDown()
        let error = await #expect(throws: CurfewError.self) { try await waiting.value }
        #expect(error?.code == .closing)
        let late = await #expect(throws: CurfewError.self) {
            try await host.expect("never").event()
        }
        #expect(late?.code == .closing)
    }

    @Test("A wait that is dropped takes no event")
    func isDropped() async throws {
        let subscribed = Guarded(0)
        let subscriber = try host.observe("hello") { _ in subscribed.change { $0 += 1 } }
        do { _ = try host.expect("hello") }
        let end = try host.expect("end")
        try host.raise("hello")
        try host.raise("end")
        _ = try await end.event(within: .seconds(60))
        #expect(subscribed.value == 1)
        withExtendedLifetime(subscriber) {}
    }
}
