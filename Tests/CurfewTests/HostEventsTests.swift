// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("The events of a host", .timeLimit(.minutes(5)))
struct HostEventsTests {
    private let host: Host

    init() throws { host = try Host.forTests() }

    @Test("A sequence of one event has that event, about each task, in order")
    func sequence() async throws {
        let events = try host.events(named: "tidy_done::")
        try host.register(.tidy) { task in
            if task.payload == [1] { throw CancellationError() }
        }
        let first = try host.launch("org.example.tidy")
        let second = try host.launch("org.example.tidy", payload: [1])
        var seen: [HostEvent] = []
        for await event in events {
            seen.append(event)
            if seen.count == 2 { break }
        }
        #expect(seen.map(\.task) == [first.id, second.id])
        #expect(
            seen.transcript == [
                "tidy_done(true, \"\")", "tidy_done(false, \"CancellationError()\")",
            ])
        #expect(seen[0].sequence < seen[1].sequence)
    }

    @Test("A sequence of all events numbers them without a gap")
    func allEvents() async throws {
        let events = try host.events()
        try host.register(.tidy) { $0.report(0.5) }
        try host.raise("hello", .int32(-1), .int64(1 << 40), .double(0.5), .text("é"), .bool(true))
        try host.launch("org.example.tidy")
        var seen: [HostEvent] = []
        for await event in events {
            seen.append(event)
            if event.selector.name == "tidy_done" { break }
        }
        #expect(
            seen.transcript == [
                "registeringtidy_done(true, \"\")",
                "hello(-1, 1099511627776, 0.5, \"é\", true)",
                "tidy_progress(0.5, \"\")",
                "tidy_done(true, \"\")",
            ])
        #expect(seen.map(\.sequence) == [1, 2, 3, 4])
    }

    @Test("A sequence ends when the host is shut down, after the last done event")
    func sequenceEndsWithTheHost() async throws {
        let entered = Gate()
        let gate = Gate()
        try host.register(.tidy, expired: { _, _ in gate.open() }) { _ in
            entered.open()
            try gate.pass()
        }
        let events = try host.events(named: "tidy_done::")
        try host.launch("org.example.tidy")
        try entered.pass()
        try host.shutDown()
        var seen: [HostEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.transcript == ["tidy_done(false, \"Background task interrupted.\")"])
    }

    @Test("A sequence made after the shutdown is at its end")
    func sequenceOfAClosedHost() async throws {
        try host.shutDown()
        for await event in try host.events() { Issue.record("\(event)") }
    }

    @Test("A sequence that is dropped does not hold the host, nor what it has seen")
    func sequenceIsDropped() async throws {
        weak var weakHost: Host?
        do {
            let other = try Host.forTests()
            weakHost = other
            try other.register(.tidy) { _ in }
            var events: HostEvents? = try other.events(named: "hello")
            var iterator = events?.makeAsyncIterator()
            events = nil
            try other.raise("hello")
            #expect(await iterator?.next()?.selector.name == "hello")
            iterator = nil
            #expect(await (try other.launch("org.example.tidy")).result.outcome == .succeeded)
        }
        #expect(weakHost == nil)
    }

    @Test("A sequence ends when the host's last reference goes")
    func sequenceOutlivesTheHost() async throws {
        let events: HostEvents
        do {
            let other = try Host.forTests()
            events = try other.events()
            try other.raise("hello")
        }
        var seen: [HostEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.transcript == ["hello()"])
    }

    @Test("A sequence buffers as many events as it may, and counts the later ones, which it drops")
    func sequenceIsBounded() async throws {
        let events = try host.events(named: "hello:", limit: 2)
        try await raiseHello(5)
        #expect(events.dropped == 3)
        // Room again: the next event is buffered, after those that were there.
        let iterator = events.makeAsyncIterator()
        #expect(await iterator.next()?.values == [.int32(1)])
        try await raiseHello(1)
        try host.shutDown()
        var seen: [HostEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.transcript == ["hello(2)", "hello(1)"])
        #expect(events.dropped == 3)
    }

    /// Raises `hello:` that many times, and returns after all are delivered.
    private func raiseHello(_ count: Int) async throws {
        let last = try host.expect("goodbye")
        for number in 1...count { try host.raise("hello", .int32(Int32(number))) }
        try host.raise("goodbye")
        _ = try await last.event(within: .seconds(60))
    }

    @Test("Two iterators of a sequence share its events: each event goes to one, in order")
    func twoIterators() async throws {
        let events = try host.events(named: "hello:")
        let halves = (0..<2).map { _ in
            let iterator = events.makeAsyncIterator()
            return Task {
                var seen: [HostEvent] = []
                while let event = await iterator.next() { seen.append(event) }
                return seen
            }
        }
        try await raiseHello(100)
        try host.shutDown()
        let (first, second) = (await halves[0].value, await halves[1].value)
        for half in [first, second] {
            #expect(half.map(\.sequence) == half.map(\.sequence).sorted())
        }
        #expect(
            (first + second).sorted { $0.sequence < $1.sequence }.flatMap(\.values)
                == (1...100).map { .int32($0) })
        #expect(events.dropped == 0)
    }

    @Test(
        "Cancelling a task ends its loop, and leaves the events to others", .timeLimit(.minutes(1)))
    func cancelledLoop() async throws {
        let events = try host.events(named: "hello:")
        let begun = Gate()
        let waiting = Task {
            let iterator = events.makeAsyncIterator()
            begun.open()
            return await iterator.next()
        }
        try begun.pass()
        waiting.cancel()
        #expect(await waiting.value == nil)
        try await raiseHello(2)
        // A cancelled task takes nothing, though an event is there.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await events.makeAsyncIterator().next()
        }
        #expect(await late.value == nil)
        let iterator = events.makeAsyncIterator()
        #expect(await iterator.next()?.values == [.int32(1)])
        #expect(await iterator.next()?.values == [.int32(2)])
    }

    @Test("A shutdown ends the loops that wait, each after what it has not seen")
    func shutdownWhileIterating() async throws {
        let events = try host.events(named: "tidy_done::")
        let entered = Gate()
        try host.register(.tidy, expired: { task, _ in task.complete() }) { task in
            entered.open()
            while !task.isExpired { sched_yield() }
        }
        let loops = (0..<8).map { _ in
            Task {
                var seen = 0
                for await event in events where event.task != 0 { seen += 1 }
                return seen
            }
        }
        try host.launch("org.example.tidy")
        try entered.pass()
        try host.shutDown()
        var seen = 0
        for each in loops { seen += await each.value }
        #expect(seen == 1)
        #expect(await events.makeAsyncIterator().next() == nil)
    }

    @Test("An observer sees events until it ends, and is not held any longer")
    func observer() async throws {
        final class Watcher: Sendable { let seen = Guarded<[HostEvent]>([]) }
        var watcher: Watcher? = Watcher()
        weak let weakWatcher = watcher
        let observation = try host.observe("hello:") { [watcher] event in
            watcher!.seen.change { $0.append(event) }
        }
        for number in 1...2 {
            let taken = try host.expect("end")
            try host.raise("hello", .int32(Int32(number)))
            try host.raise("end")
            _ = try await taken.event(within: .seconds(60))
        }
        #expect(watcher?.seen.value.transcript == ["hello(1)", "hello(2)"])
        observation.end()
        let taken = try host.expect("end")
        try host.raise("hello", .int32(3))
        try host.raise("end")
        _ = try await taken.event(within: .seconds(60))
        #expect(watcher?.seen.value.count == 2)
        watcher = nil
        #expect(weakWatcher == nil)
    }

    @Test("An observer that ends is let go though no event comes any more")
    func observerIsLetGo() async throws {
        final class Watcher: Sendable {}
        weak var weakWatcher: Watcher?
        do {
            let watcher = Watcher()
            weakWatcher = watcher
            let observation = try host.observe("hello") { _ in _ = watcher }
            let taken = try host.expect("end")
            try host.raise("hello")
            try host.raise("end")
            _ = try await taken.event(within: .seconds(60))
            withExtendedLifetime(observation) {}
        }
        #expect(weakWatcher == nil)
    }

    @Test("An observer can end itself from inside")
    func observerEndsItself() async throws {
        let seen = Guarded(0)
        let observation = Guarded<Observation?>(nil)
        let ready = Gate()
        observation.change { box in
            box = try? host.observe("hello") { _ in
                try? ready.pass()
                seen.change { $0 += 1 }
                observation.value?.end()
            }
        }
        ready.open()
        let end = try host.expect("end")
        try host.raise("hello")
        try host.raise("hello")
        try host.raise("end")
        _ = try await end.event(within: .seconds(60))
        #expect(seen.value == 1)
    }

    @Test("What is no selector is refused", arguments: ["", "Tidy_done", "a b", "a:b", "1a"])
    func noSelector(text: String) throws {
        #expect(throws: CurfewError.self) { try host.events(named: text) }
        #expect(throws: CurfewError.self) { try host.observe(text) { _ in } }
        #expect(throws: CurfewError.self) { try host.expect(text) }
    }

    @Test("Events of the embedder's own are refused where the name or the types are taken")
    func ownEvents() throws {
        func code(_ body: () throws -> Void) -> Status? {
            #expect(throws: CurfewError.self, performing: body)?.code
        }
        try host.register(.tidy) { _ in }
        #expect(code { try host.raise("tidy_done", .bool(true), .text("")) } == .denied)
        #expect(code { try host.raise("tidy_expired") } == .denied)
        #expect(code { try host.raise("curfew_gap", .int64(1)) } == .denied)
        #expect(code { try host.raise("Hello") } == .invalid)
        try host.raise("tidy_done")
        try host.raise("hello", .bool(true))
        #expect(code { try host.raise("hello", .text("")) } == .invalid)
        try host.shutDown()
        #expect(code { try host.raise("hello", .bool(true)) } == .closing)
    }

    @Test("A handler raises the events it has declared, before its done event, and no others")
    func handlersEvents() async throws {
        let error = #expect(throws: CurfewError.self) {
            try host.register("org.example.tidy", events: ["Tidy found": []]) { _ in }
        }
        #expect(error?.code == .invalid)
        let codes = Guarded<[Status?]>([])
        try host.register("org.example.tidy", events: ["tidy_found": [.text, .int64]]) { task in
            func code(_ body: () throws -> Void) {
                do {
                    try body()
                    codes.change { $0.append(nil) }
                } catch {
                    codes.change { $0.append((error as? CurfewError)?.code) }
                }
            }
            code { try task.raise("tidy_found", .text("a\u{0}b"), .int64(7)) }
            code { try task.raise("tidy_found", .text("a")) }
            code { try task.raise("tidy_found", .int64(7), .text("a")) }
            code { try task.raise("Tidy found") }
            task.complete()
            code { try task.raise("tidy_found", .text("late"), .int64(8)) }
        }
        let seen = Guarded<[HostEvent]>([])
        let observation = try host.observe { event in seen.change { $0.append(event) } }
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        #expect(await eventually { codes.value.count == 5 })
        try host.shutDown()
        #expect(
            seen.value.filter { $0.task == task.id }.transcript == [
                "tidy_found(\"a\u{0}b\", 7)", "tidy_done(true, \"\")",
            ])
        #expect(codes.value == [nil, .denied, .invalid, .invalid, .already])
        withExtendedLifetime(observation) {}
    }
}
