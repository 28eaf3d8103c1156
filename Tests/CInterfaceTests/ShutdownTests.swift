// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// The four phases of a shutdown, and what comes after.
///
/// Serialized: some of these tests leave a host behind on purpose, and count.
@Suite("Shutting down", .serialized)
struct ShutdownTests {
    /// What a typed subscriber does; a C function has no context.
    private static let inEvent = Guarded<(@Sendable () -> Void)?>(nil)
    private static let longest = Guarded<Int>.limit.nanoseconds

    @Test("intake stops: launches, registrations, raises, waits and loads answer CLOSING")
    func intake() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        #expect(host.shutDown() == .ok)
        #expect(host.tryLaunch().answer == .closing)
        #expect(host.tryRegister("org.example.late").answer == .closing)
        #expect(host.raise("hello") == .closing)
        #expect(host.load("/nonexistent").answer == .closing)
        var found: UInt32 = 0
        #expect(Answer(curfew_host_scan_plugins(host.raw, "/", &found, nil)) == .closing)
        var number: curfew_subscription = 0
        #expect(
            Answer(curfew_host_expect_event(host.raw, "tidy_done::", 0, nil, &number, nil))
                == .closing)
        #expect(
            Answer(curfew_host_wait_event(host.raw, "tidy_done::", 0, nil, 0, nil, nil)) == .closing
        )
    }

    @Test("a second shutdown does nothing, and destroying comes after it")
    func second() throws {
        let host = try TestHost()
        #expect(host.shutDown() == .ok)
        #expect(host.shutDown() == .ok)
        #expect(host.destroy() == .ok)
        #expect(Answer(curfew_host_destroy(nil, nil, nil)) == .ok)
    }

    @Test("every waiter is woken with CLOSING when shutdown begins")
    func wakesWaiters() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let started = Signal()
        let waiters = (0..<2).map { _ in
            Side { () -> Answer in
                started.send()
                return host.wait(task)
            }
        }
        let expectation = try host.expect("never")
        let collector = Side { () -> Answer in
            started.send()
            return host.collect(expectation).answer
        }
        for _ in 0..<3 { #expect(started.wait()) }
        // A wait that ends by itself must not take the others with it.
        #expect(host.wait(task, within: .millisecond) == .timedOut)
        let shutdown = Side { host.shutDown(drain: ShutdownTests.longest) }
        for waiter in waiters { #expect(waiter.join() == .closing) }
        #expect(collector.join() == .closing)
        #expect(!shutdown.isOver)
        stuck.go.send()
        #expect(shutdown.join() == .ok)
        #expect(host.wait(task) == .ok)
    }

    @Test("a waiter that turns the loop is woken with CLOSING too")
    func wakesLoop() throws {
        let host = try TestHost(ownLoop: true)
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let started = Signal()
        let waiter = Side { () -> [Answer] in
            host.dispatch()
            let expectation = try? host.expect("never")
            started.send()
            return [host.collect(expectation ?? 0).answer, host.wait(task)]
        }
        #expect(started.wait())
        let shutdown = Side { host.shutDown(drain: ShutdownTests.longest) }
        #expect(waiter.join() == [.closing, .closing])
        #expect(!shutdown.isOver)
        stuck.go.send()
        #expect(shutdown.join() == .ok)
    }

    @Test("drain lets running, pending and queued tasks finish")
    func drain() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        try host.register("org.example.later") { _ in curfew_status(CURFEW_PENDING) }
        let tasks = try (0..<3).map { _ in try host.launch() }
        let pending = try host.launch("org.example.later")
        try host.waitUntilPending(pending)
        #expect(stuck.entered.wait())
        let shutdown = Side { host.shutDown(drain: ShutdownTests.longest) }
        try host.waitUntil("closing") { host.raise("probe") == .closing }
        stuck.go.send(3)
        #expect(stuck.entered.wait())
        #expect(stuck.entered.wait())
        #expect(!shutdown.isOver)
        #expect(host.call(pending).complete() == .ok)
        #expect(shutdown.join() == .ok)
        for task in tasks + [pending] {
            #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED)
            #expect(host.all.dones(of: task) == [[.bool(true), .text("")]])
        }
    }

    @Test("after the drain the rest is told to stop, with SHUTDOWN, held-back tasks included")
    func expire() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: { call, reason in
                stuck.onExpired(call, reason)
                stuck.go.send()
            }, run: stuck.run())
        let running = try host.launch()
        #expect(stuck.entered.wait())
        let queued = try host.launch()
        let held = try host.launch()
        #expect(host.pause(held) == .ok)
        #expect(host.shutDown(drain: .millisecond) == .ok)
        #expect(stuck.reasons.now == [curfew_reason(CURFEW_REASON_SHUTDOWN)])
        #expect(try host.query(running).answered)
        for task in [running, queued, held] {
            #expect(try host.query(task).outcome == CURFEW_OUTCOME_INTERRUPTED)
            #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        }
    }

    @Test("a task cancelled before shutdown stays cancelled")
    func cancelledBefore() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(host.shutDown(expire: .millisecond) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_CANCELLED)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.cancelledText)]])
    }

    @Test("a function that never returns makes shutdown say TIMED_OUT and name it")
    func neverReturns() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let (answer, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(text.contains("org.example.tidy"))
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_INTERRUPTED)
        #expect(host.all.dones(of: task).count == 1)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).returned }
        try host.waitUntil("gone") { host.counts.workers == 0 }
        #expect(host.destroy() == .ok)
    }

    @Test("memory a lost thread may touch is kept and counted, once")
    func leaks() throws {
        let before = curfew_get_leaked_host_count()
        let stuck = Stuck()
        let answers = Guarded<[Answer]>([])
        do {
            let host = try TestHost()
            try host.register(
                run: stuck.run { call in
                    answers.change {
                        $0 = [call.complete(), call.keep(), call.progress(0.5)]
                    }
                    stuck.expired.send()
                    return 0
                })
            _ = try host.launch()
            #expect(stuck.entered.wait())
            #expect(host.destroy(expire: .millisecond, leave: .millisecond) == .timedOut)
        }
        #expect(curfew_get_leaked_host_count() == before + 1)
        stuck.go.send()
        #expect(stuck.expired.wait())
        #expect(answers.now == [.closing, .stale, .stale])
    }

    @Test("a host that nobody is inside of leaves nothing behind")
    func noLeak() throws {
        let before = curfew_get_leaked_host_count()
        let host = try TestHost()
        try host.register { _ in 0 }
        for _ in 0..<100 { #expect(host.wait(try host.launch()) == .ok) }
        #expect(host.destroy() == .ok)
        #expect(curfew_get_leaked_host_count() == before)
    }

    @Test("a table stays good for a task that was never answered, and says CLOSING")
    func tableAfterDestroy() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let call = host.call(task)
        #expect(host.destroy(expire: .millisecond) == .ok)
        #expect(call.complete() == .closing)
        #expect(call.isExpired)
        #expect(call.remaining == 0)
        #expect(call.keep() == .stale)
        #expect(call.raise("tidy_progress") == .stale)
    }

    @Test("with an own loop, done events can be dispatched after the shutdown")
    func dispatchAfterwards() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let queued = try host.launch()
        #expect(host.shutDown(expire: .millisecond) == .ok)
        #expect(host.all.dones(of: task).isEmpty)
        #expect(host.dispatch() != nil)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        #expect(host.all.dones(of: queued) == [[.bool(false), .text(Ending.interruptedText)]])
        #expect(host.dispatch() == 0)
    }

    @Test("where Curfew's own thread turns the loop everything has been delivered")
    func deliveredBefore() throws {
        let host = try TestHost(clock: nil)
        try host.register(concurrency: 4) { _ in 0 }
        let tasks = try (0..<500).map { _ in try host.launch(keep: false) }
        #expect(host.shutDown(drain: ShutdownTests.longest) == .ok)
        let done = host.all.events.filter(\.isDone)
        #expect(done.count == tasks.count)
        #expect(Set(done.map(\.task)) == Set(tasks))
        #expect(host.dispatch() == 0)
    }

    @Test("destroy and shutdown are refused from a handler, an expired callback and an event")
    func wrongThread() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let tryBoth: @Sendable (TestHost) -> Void = { host in
            let both = [
                Answer(curfew_host_shutdown(host.raw, nil, nil)),
                Answer(curfew_host_destroy(host.raw, nil, nil)),
            ]
            answers.change { $0 += both }
        }
        let inLoop = Observer { [unowned host] _ in tryBoth(host) }
        try host.observe("tidy_done::", by: inLoop)
        try host.register(
            expired: { [unowned host] call, _ in
                tryBoth(host)
                _ = call.complete()
            },
            run: { [unowned host] _ in
                tryBoth(host)
                return curfew_status(CURFEW_PENDING)
            })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 6 })
        #expect(answers.now == [Answer](repeating: .wrongThread, count: 6))
        try host.register("org.example.other") { _ in 0 }
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        // The last callback may hold the host for a moment longer than this does.
        #expect(host.destroy() == .ok)
    }

    @Test("destroying is refused from a plugin's entry and its retirement, and from a typed event")
    func wrongPlaces() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        nonisolated(unsafe) let raw = host.raw
        let destroy: @Sendable () -> Void = {
            let answer = Answer(curfew_host_destroy(raw, nil, nil))
            answers.change { $0.append(answer) }
        }
        let plugin = try HookedPlugin { api, _, error in
            destroy()
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        plugin.onRetire.change { $0 = destroy }
        #expect(plugin.load(in: host).answer == .ok)
        #expect(answers.now == [.wrongThread])
        Self.inEvent.change { $0 = destroy }
        defer { Self.inEvent.change { $0 = nil } }
        let function:
            @convention(c) (UnsafeMutableRawPointer?, Bool, UnsafePointer<CChar>) -> Void = {
                _, _, _ in ShutdownTests.inEvent.now?()
            }
        #expect(
            Answer(
                curfew_host_subscribe(
                    host.raw, "hooked_done::",
                    unsafeBitCast(function, to: curfew_any_function.self), nil, nil, nil)) == .ok)
        #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
        #expect(answers.wait { $0.count == 2 })
        #expect(host.destroy() == .ok)
        #expect(answers.now == [Answer](repeating: .wrongThread, count: 3))
    }

    @Test("another host's callbacks may destroy a host")
    func fromAnotherHost() throws {
        let host = try TestHost()
        let victim = try TestHost()
        let answer = Guarded<Answer?>(nil)
        try host.register { _ in
            answer.change { $0 = victim.destroy() }
            return 0
        }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(answer.now == .ok)
    }

    @Test("two threads may shut down at once; both return when it is over")
    func twoThreads() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        _ = try host.launch()
        #expect(stuck.entered.wait())
        let sides = (0..<2).map { _ in Side { host.shutDown(drain: ShutdownTests.longest) } }
        try host.waitUntil("closing") { host.raise("probe") == .closing }
        #expect(!sides.contains { $0.isOver })
        stuck.go.send()
        for side in sides { #expect(side.join() == .ok) }
    }

    @Test("launches that race with a shutdown are refused or ended, each with its one done event")
    func racingLaunches() throws {
        for _ in 0..<20 {
            let host = try TestHost(clock: nil)
            try host.register(concurrency: 2) { _ in 0 }
            let go = Signal()
            let launchers = (0..<2).map { _ in
                Side { () -> [curfew_task] in
                    var tasks: [curfew_task] = []
                    go.send()
                    while true {
                        let (answer, task) = host.tryLaunch(keep: false)
                        if answer == .closing { return tasks }
                        if answer == .ok { tasks.append(task) }
                    }
                }
            }
            for _ in launchers { #expect(go.wait()) }
            #expect(host.shutDown() == .ok)
            let tasks = try launchers.flatMap { try #require($0.join()) }
            // A launch that was let in at the last moment may end after the loop's thread has.
            #expect(host.dispatch() != nil)
            let done = host.all.events.filter(\.isDone).map(\.task)
            #expect(done.count == tasks.count)
            #expect(Set(done) == Set(tasks))
        }
    }

    @Test("a host destroyed at any moment of its tasks loses none of them")
    func anyMoment() throws {
        let leaked = curfew_get_leaked_host_count()
        var random = SystemRandomNumberGenerator()
        for round in 0..<300 {
            let host = try TestHost(clock: nil)
            try host.register(concurrency: UInt32(round % 3 + 1)) { call in
                if round % 2 == 1 { _ = call.complete() }
                return 0
            }
            var launched: [curfew_task] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let (answer, task) = host.tryLaunch(keep: false)
                if answer == .ok { launched.append(task) }
                for _ in 0..<Int.random(in: 0...2_000, using: &random) { _ = curfew_version() }
            }
            #expect(host.destroy() == .ok)
            #expect(
                host.all.events.filter(\.isDone).map(\.task).sorted() == launched.sorted(),
                "round \(round)")
        }
        #expect(curfew_get_leaked_host_count() == leaked)
    }

    @Test("a plugin's own thread may call about a task it owes while the host goes, and after")
    func callsMeanwhile() throws {
        for _ in 0..<50 {
            let host = try TestHost(observing: false)
            let (kept, ended) = (Guarded<RunCall?>(nil), Guarded(false))
            try host.register { call in
                kept.change { $0 = call }
                return curfew_status(CURFEW_PENDING)
            }
            let task = try host.launch(keep: false)
            try host.waitUntilPending(task)
            let call = try #require(kept.now)
            let begun = Signal()
            let caller = Side { () -> Int in
                var calls = 0
                while !ended.now {
                    if calls == 1 { begun.send() }
                    _ = call.isExpired
                    _ = call.progress(0.5, "still here")
                    _ = call.info
                    _ = call.raise("unknown")
                    calls += 1
                }
                #expect(call.complete() == .closing)
                return calls
            }
            // A thread that starts late would have nothing to disturb.
            #expect(begun.wait())
            #expect(host.destroy(expire: 100_000) == .ok)
            ended.change { $0 = true }
            #expect(caller.join() ?? 0 > 0)
        }
    }

    @Test("a call of a plugin's thread that does not come out keeps the host's memory")
    func callInside() throws {
        let leaked = curfew_get_leaked_host_count()
        let log = Stuck()
        let host = try TestHost(observing: false) { $0.block(logging: log) }
        host.keep(log)
        let call = host.call(0)
        let caller = Side { call.log("hello") }
        #expect(log.entered.wait())
        #expect(host.destroy(leave: .millisecond) == .timedOut)
        #expect(curfew_get_leaked_host_count() == leaked + 1)
        log.go.send()
        #expect(caller.join() != nil)
    }

    @Test("an entry that has not returned when the host goes keeps the host's memory")
    func entryInside() throws {
        let leaked = curfew_get_leaked_host_count()
        let host = try TestHost()
        let stuck = Stuck()
        let plugin = try HookedPlugin { api, _, error in
            stuck.entered.send()
            _ = stuck.go.wait()
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        let loader = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        #expect(host.destroy(leave: .millisecond) == .timedOut)
        #expect(curfew_get_leaked_host_count() == leaked + 1)
        stuck.go.send()
        // Its registration was answered CLOSING, and so it said no.
        #expect(loader.join() == .failed)
    }

    @Test("a plugin whose entry returns after a shutdown began is not used")
    func lateEntry() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let plugin = try HookedPlugin { api, _, error in
            stuck.entered.send()
            _ = stuck.go.wait()
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        let loader = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        #expect(host.shutDown() == .ok)
        stuck.go.send()
        #expect(loader.join() == .closing)
        #expect(plugin.retirements.now == 1)
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        #expect(host.destroy() == .ok)
    }

    @Test("a plugin's thread may call long after its host is gone, also when it owes nothing")
    func callsAfterwards() throws {
        let table = Guarded<RunCall?>(nil)
        for round in 0..<20 {
            let host = try TestHost()
            let plugin = try HookedPlugin { api, _, error in
                table.change { $0 = RunCall(api: api, task: 1) }
                return HookedPlugin.register("org.example.hooked", api, error)
            }
            #expect(plugin.load(in: host).answer == .ok)
            #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
            #expect(host.destroy() == .ok)
            let call = try #require(table.now)
            #expect(call.complete() == .closing, "round \(round)")
            #expect(call.progress(0.5) == .stale)
            #expect(call.isExpired)
            call.log("still here")
        }
    }

    @Test("a worker counts until the destructors of its thread-local data have run")
    func destructors() throws {
        let steps = Guarded<[String]>([])
        nonisolated(unsafe) var key = pthread_key_t()
        pthread_key_create(&key) { raw in
            Unmanaged<Guarded<(() -> Void)?>>.fromOpaque(raw!).takeUnretainedValue().now?()
        }
        defer { pthread_key_delete(key) }
        let host = try TestHost(workers: 1)
        nonisolated(unsafe) let raw = host.raw
        let atEnd = Guarded<(() -> Void)?>(nil)
        let plugin = try HookedPlugin { api, _, error in
            HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        try host.register { call in
            atEnd.change {
                $0 = {
                    // Calls that are legal at any time, from any thread, while the host goes.
                    for _ in 0..<20_000 { _ = call.isExpired }
                    call.log("leaving")
                    steps.change { $0.append("\(Answer(curfew_host_destroy(raw, nil, nil)))") }
                }
            }
            pthread_setspecific(key, Unmanaged.passUnretained(atEnd).toOpaque())
            return 0
        }
        plugin.onRetire.change { $0 = { steps.change { $0.append("retired") } } }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.destroy() == .ok)
        #expect(steps.now == ["\(Answer.wrongThread)", "retired"])
    }

    @Test("a retire function that never returns makes destroying say TIMED_OUT and name the plugin")
    func retireInside() throws {
        let leaked = curfew_get_leaked_host_count()
        let host = try TestHost()
        let stuck = Stuck()
        func plugin(_ id: String, _ handler: String) throws -> HookedPlugin {
            let plugin = try HookedPlugin(id: id, handlers: [handler])
            #expect(plugin.load(in: host).answer == .ok)
            return plugin
        }
        let stays = try plugin("org.example.stays", "org.example.one")
        let comes = try plugin("org.example.comes", "org.example.two")
        stays.onRetire.change {
            $0 = {
                stuck.entered.send()
                _ = stuck.go.wait()
            }
        }
        let (answer, text) = host.destroySaying(leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(text.contains("the retire function of \"org.example.stays\""), "\(text)")
        #expect(curfew_get_leaked_host_count() == leaked + 1)
        // The other one was told all the same.
        #expect(comes.retirements.wait { $0 == 1 })
        stuck.go.send()
    }

    @Test("an expiration callback that never returns makes shutdown say TIMED_OUT and name it")
    func callbackInside() throws {
        let leaked = curfew_get_leaked_host_count()
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: { _, _ in
                stuck.entered.send()
                _ = stuck.go.wait()
            }, run: { _ in curfew_status(CURFEW_PENDING) })
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.stop(task) == .ok)
        #expect(stuck.entered.wait())
        let (answer, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(text.contains("the expiration callback of \"org.example.tidy\""), "\(text)")
        stuck.go.send()
        #expect(host.destroy() == .ok)
        #expect(curfew_get_leaked_host_count() == leaked)
    }
}
