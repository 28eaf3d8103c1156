// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// Expecting an event and collecting it.
@Suite("Waiting for events")
struct WaitEventTests {
    @Test("expect first, then launch, and nothing is missed")
    func expectThenLaunch() throws {
        let host = try TestHost()
        try host.register { $0.fail("no") }
        let expectation = try host.expect("tidy_done::")
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        let (answer, event) = host.collect(expectation)
        #expect(answer == .ok)
        #expect(event?.selector == "tidy_done::")
        #expect(event?.task == task)
        #expect(event?.parameters == [.bool(false), .text("no")])
        #expect(host.collect(expectation).answer == .notFound)
    }

    @Test("a newer wait with the same selector, task and context replaces the older")
    func replaced() throws {
        let host = try TestHost()
        let first = try host.expect("hello")
        let started = Signal()
        let waiting = Side { () -> Answer in
            started.send()
            return host.collect(first).answer
        }
        #expect(started.wait())
        let second = try host.expect("hello")
        #expect(waiting.join() == .replaced)
        let third = try host.expect("hello")
        #expect(host.collect(second).answer == .replaced)
        #expect(host.raise("hello") == .ok)
        #expect(host.collect(third).answer == .ok)
    }

    @Test("waits with contexts of their own stand side by side and take one event each")
    func contexts() throws {
        let host = try TestHost()
        let first = try host.expect("hello", context: UnsafeRawPointer(bitPattern: 1))
        let second = try host.expect("hello", context: UnsafeRawPointer(bitPattern: 2))
        #expect(host.raise("hello") == .ok)
        #expect(host.collect(first).answer == .ok)
        #expect(host.collect(second, within: 0).answer == .timedOut)
    }

    @Test("a wait times out, and is over then")
    func timedOut() throws {
        let host = try TestHost()
        let expectation = try host.expect("hello")
        #expect(host.collect(expectation, within: .millisecond).answer == .timedOut)
        #expect(host.collect(expectation).answer == .notFound)
        let observer = Observer()
        try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        #expect(observer.seen.wait { $0.count == 1 })
        #expect(
            Answer(curfew_host_wait_event(host.raw, "hello", 0, nil, .millisecond, nil, nil))
                == .timedOut)
    }

    @Test("an expectation about a task comes before one about any")
    func filtered() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let first = try host.launch()
        let second = try host.launch()
        let unfiltered = try host.expect("tidy_done::")
        let filtered = try host.expect("tidy_done::", task: second)
        let both = try host.expect(
            "tidy_done::", task: second, context: UnsafeRawPointer(bitPattern: 1))
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(host.wait(second) == .ok)
        #expect(host.collect(unfiltered).event?.task == first)
        #expect(host.collect(filtered).event?.task == second)
        #expect(host.collect(both, within: 0).answer == .timedOut)
    }

    @Test("a wait takes the event from subscribers, but not from observers of all")
    func takesFromSubscribers() throws {
        let host = try TestHost()
        let observer = Observer()
        try host.observe("hello:", by: observer)
        let expectation = try host.expect("hello:")
        #expect(host.raise("hello:", [.int32(1)]) == .ok)
        #expect(host.raise("hello:", [.int32(2)]) == .ok)
        #expect(host.collect(expectation).event?.parameters == [.int32(1)])
        #expect(host.shutDown() == .ok)
        #expect(observer.events.map(\.parameters) == [[.int32(2)]])
        let seen = host.all.events.filter { $0.selector == "hello:" }
        #expect(seen.map(\.parameters) == [[.int32(1)], [.int32(2)]])
    }

    @Test("an event of a different arity does not end a wait")
    func arity() throws {
        let host = try TestHost()
        let expectation = try host.expect("hello:")
        #expect(host.raise("hello") == .ok)
        #expect(host.raise("hello:", [.bool(true)]) == .ok)
        #expect(host.collect(expectation).event?.parameters == [.bool(true)])
    }

    @Test("a wait inside an event turns the loop")
    func insideEvent() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let inner = Guarded<[Parameter]?>(nil)
        let order = Guarded<[String]>([])
        let outer = Observer { [unowned host] _ in
            order.change { $0.append("outer begins") }
            let expectation = try? host.expect("tidy_done::")
            _ = host.tryLaunch()
            let event = host.collect(expectation ?? 0).event
            inner.change { $0 = event?.parameters }
            order.change { $0.append("outer ends") }
        }
        let others = Observer { _ in order.change { $0.append("other") } }
        try host.observe("hello", by: outer)
        try host.observe("other", by: others)
        #expect(host.raise("hello") == .ok)
        #expect(host.raise("other") == .ok)
        #expect(order.wait { $0.count == 3 })
        #expect(inner.value == [.bool(true), .text("")])
        #expect(order.value.last == "outer ends" || order.value.last == "other")
        #expect(order.value.first == "outer begins")
    }

    @Test("waits are refused on a worker and a deadline thread")
    func wrongThread() throws {
        let host = try TestHost()
        let expectation = try host.expect("hello")
        let answers = Guarded<[Answer]>([])
        try host.register(
            expired: { [unowned host] call, _ in
                answers.change { $0.append(host.collect(expectation).answer) }
                _ = call.complete()
            },
            run: { [unowned host] _ in
                answers.change { $0.append(host.collect(expectation).answer) }
                return curfew_status(CURFEW_PENDING)
            })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(host.wait(task) == .ok)
        #expect(answers.value == [.wrongThread, .wrongThread])
        #expect(host.raise("hello") == .ok)
        #expect(host.collect(expectation).answer == .ok)
    }

    @Test("a wait that is refused takes no later event")
    func refusedWait() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register { [unowned host] _ in
            answers.change {
                $0.append(
                    Answer(curfew_host_wait_event(host.raw, "hello", 0, nil, .second, nil, nil)))
            }
            return 0
        }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(answers.value == [.wrongThread])
        let observer = Observer()
        try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        #expect(observer.seen.wait { $0.count == 1 })
    }

    @Test("an event that came before the shutdown can be collected after it")
    func collectAfterShutdown() throws {
        let host = try TestHost()
        let came = try host.expect("hello")
        let never = try host.expect("never")
        #expect(host.raise("hello") == .ok)
        // One event is delivered at a time: when the next one is seen, the wait has this one.
        #expect(host.raise("marker") == .ok)
        #expect(host.all.waits { $0.selector == "marker" })
        #expect(host.shutDown() == .ok)
        #expect(host.collect(came).answer == .ok)
        #expect(host.collect(never).answer == .closing)
    }
}
