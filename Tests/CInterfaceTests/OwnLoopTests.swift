// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// The embedder turns the loop.
@Suite("An own event loop")
struct OwnLoopTests {
    private func isReadable(_ host: TestHost, within milliseconds: Int32 = 0) -> Bool {
        var entry = pollfd(
            fd: curfew_host_get_event_fd(host.raw), events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) == 1
    }

    @Test("the descriptor is readable while events wait, and only then")
    func descriptor() throws {
        let host = try TestHost(ownLoop: true)
        #expect(curfew_host_get_event_fd(host.raw) >= 0)
        #expect(!isReadable(host))
        #expect(host.raise("hello") == .ok)
        #expect(isReadable(host))
        #expect(isReadable(host))
        #expect(host.dispatch() == 1)
        #expect(!isReadable(host))
        for _ in 0..<3 { #expect(host.raise("hello") == .ok) }
        #expect(host.dispatch(2) == 2)
        #expect(isReadable(host))
        #expect(host.dispatch(2) == 1)
        #expect(!isReadable(host))
        #expect(host.dispatch() == 0)
    }

    @Test("waking makes the descriptor readable once, though nothing is delivered")
    func wake() throws {
        let host = try TestHost(ownLoop: true)
        curfew_host_wake(host.raw)
        curfew_host_wake(host.raw)
        #expect(isReadable(host))
        #expect(host.dispatch() == 0)
        #expect(!isReadable(host))
    }

    /// What a signal handler reaches; it has no context.
    nonisolated(unsafe) private static var woken: OpaquePointer?

    @Test("a signal handler may wake the loop, whatever of the host's it interrupts")
    func wakeFromSignal() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in 0 }
        Self.woken = host.raw
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in curfew_host_wake(OwnLoopTests.woken!) }
        action.sa_flags = SA_RESTART
        var before = sigaction()
        sigaction(SIGUSR1, &action, &before)
        defer { sigaction(SIGUSR1, &before, nil) }
        let thread = pthread_self()
        let isOver = Guarded(false)
        let signals = Side { () -> Int in
            var count = 0
            repeat {
                pthread_kill(thread, SIGUSR1)
                count += 1
                sched_yield()
            } while !isOver.value || count < 1_000
            return count
        }
        for _ in 0..<2_000 {
            errno = EDOM
            let task = try host.launch()
            #expect(host.wait(task) == .ok)
            #expect(host.release(task) == .ok)
            _ = host.dispatch()
        }
        isOver.change { $0 = true }
        #expect(try #require(signals.join()) >= 1_000)
    }

    @Test("poll wakes when a task ends")
    func pollWakes() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in 0 }
        #expect(host.dispatch() == 1)
        for _ in 0..<100 {
            let task = try host.launch(keep: false)
            #expect(isReadable(host, within: 10_000))
            #expect(host.dispatch() == 1)
            #expect(host.all.dones(of: task).count == 1)
        }
    }

    @Test("where Curfew turns the loop there is no descriptor, and dispatching is WRONG_STATE")
    func foreignLoop() throws {
        let host = try TestHost()
        #expect(curfew_host_get_event_fd(host.raw) == -1)
        #expect(Answer(curfew_host_dispatch(host.raw, 0, nil, nil)) == .wrongState)
    }

    @Test("events are delivered by the thread that dispatches, one at a time, never by itself")
    func onThisThread() throws {
        let host = try TestHost(ownLoop: true)
        let threads = Guarded<[pthread_t]>([])
        let observer = Observer { _ in threads.change { $0.append(pthread_self()) } }
        try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        #expect(threads.value.isEmpty)
        #expect(host.dispatch() == 1)
        #expect(threads.value == [pthread_self()])
    }

    @Test("without a limit, what is raised meanwhile waits for the next turn")
    func noEndlessTurn() throws {
        let host = try TestHost(ownLoop: true)
        let observer = Observer { [unowned host] _ in _ = host.raise("hello") }
        try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        for _ in 0..<5 { #expect(host.dispatch() == 1) }
        #expect(isReadable(host))
    }

    @Test("dispatching from inside an event, a handler, or beside another thread is WRONG_THREAD")
    func wrongThread() throws {
        let host = try TestHost(ownLoop: true)
        let answers = Guarded<[Answer]>([])
        let stuck = Stuck()
        let observer = Observer { [unowned host] _ in
            let answer = Answer(curfew_host_dispatch(host.raw, 0, nil, nil))
            answers.change { $0.append(answer) }
            stuck.entered.send()
            _ = stuck.go.wait()
        }
        try host.observe("hello", by: observer)
        try host.register { [unowned host] _ in
            let answer = Answer(curfew_host_dispatch(host.raw, 0, nil, nil))
            answers.change { $0.append(answer) }
            return 0
        }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.raise("hello") == .ok)
        let side = Side { host.dispatch() }
        #expect(stuck.entered.wait())
        #expect(Answer(curfew_host_dispatch(host.raw, 0, nil, nil)) == .wrongThread)
        stuck.go.send()
        #expect(side.join() != nil)
        #expect(answers.value == [.wrongThread, .wrongThread])
    }

    @Test("a wait on the loop's own thread turns the loop, inside an event and outside")
    func waitTurns() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in 0 }
        host.dispatch()
        var event: UnsafeMutablePointer<curfew_event>?
        let expectation = try host.expect("tidy_done::")
        _ = try host.launch()
        #expect(host.collect(expectation).answer == .ok)
        #expect(host.raise("hello") == .ok)
        #expect(
            Answer(
                curfew_host_wait_event(
                    host.raw, "hello", 0, nil, Guarded<Int>.limit.nanoseconds, &event, nil)) == .ok)
        curfew_event_free(event)
        let inside = Guarded<[Answer]>([])
        let observer = Observer { [unowned host] _ in
            let (_, task) = host.tryLaunch()
            let waited = host.wait(task)
            let expectation = (try? host.expect("tidy_done::")) ?? 0
            _ = host.tryLaunch()
            let collected = host.collect(expectation).answer
            inside.change { $0 = [waited, collected] }
        }
        try host.observe("outer", by: observer)
        #expect(host.raise("outer") == .ok)
        host.dispatch()
        #expect(inside.value == [.ok, .ok])
    }

    @Test("a wait elsewhere sleeps until the loop's thread has delivered")
    func waitElsewhere() throws {
        let host = try TestHost(ownLoop: true)
        host.dispatch()
        let expectation = try host.expect("hello")
        let side = Side { host.collect(expectation).answer }
        #expect(host.raise("hello") == .ok)
        #expect(!side.isOver)
        #expect(host.dispatch() == 1)
        #expect(side.join() == .ok)
    }

    @Test("when the queue is full events are refused, counted, and announced by one gap")
    func gap() throws {
        let host = try TestHost(ownLoop: true) { $0.event_limit = 4 }
        for number in Int32(0)..<10 {
            #expect(host.raise("hello:", [.int32(number)]) == (number < 4 ? .ok : .busy))
        }
        #expect(host.counts.events_lost == 6)
        #expect(host.dispatch() == 5)
        #expect(host.raise("hello:", [.int32(10)]) == .ok)
        #expect(host.dispatch() == 1)
        let seen = host.all.events
        #expect(
            seen.map(\.selector) == [
                "hello:", "hello:", "hello:", "hello:", "curfew_gap:", "hello:",
            ])
        #expect(seen[4].parameters == [.int64(6)])
        #expect(seen.map(\.sequence) == [1, 2, 3, 4, 11, 12])
        #expect(seen[5].parameters == [.int32(10)])
    }

    @Test("a plugin's event beyond the limit is BUSY; done events are never lost")
    func gapOfTask() throws {
        let host = try TestHost(ownLoop: true) { $0.event_limit = 4 }
        host.dispatch()
        let answers = Guarded<[Answer]>([])
        try host.register(events: ["tidy_step()"]) { call in
            let said = (0..<6).map { _ in call.raise("tidy_step") }
            answers.change { $0 = said }
            return 0
        }
        #expect(host.dispatch() == 1)
        let tasks = try (0..<20).map { _ in try host.launch() }
        for task in tasks { #expect(host.wait(task, within: 0) != .stale) }
        for task in tasks { try host.waitUntil("over") { host.errorText(task) != nil } }
        #expect(answers.value == [Answer](repeating: .busy, count: 6))
        host.dispatch()
        for task in tasks { #expect(host.all.dones(of: task).count == 1) }
        #expect(host.counts.events_lost == 20 * 6 - 4)
        let gaps = host.all.events.filter { $0.selector == "curfew_gap:" }
        #expect(gaps.map(\.parameters) == [[.int64(20 * 6 - 4)]])
    }

    @Test("subscriptions made during a turn count from the next event on")
    func subscribeInside() throws {
        let host = try TestHost(ownLoop: true)
        let late = Observer()
        let observer = Observer { [unowned host] event in
            if event.parameters == [.int32(1)] { _ = try? host.observe("hello:", by: late) }
        }
        try host.observe("hello:", by: observer)
        #expect(host.raise("hello:", [.int32(1)]) == .ok)
        #expect(host.raise("hello:", [.int32(2)]) == .ok)
        #expect(host.dispatch() == 2)
        #expect(late.events.map(\.parameters) == [[.int32(2)]])
    }
}
