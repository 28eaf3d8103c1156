// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// A shutdown as plugins and C see it: refused calls, tables that outlive the host, the retirement.
///
/// Serialized: some of these tests leave a host behind on purpose, and count.
@Suite("Shutting down", .serialized)
struct ShutdownTests {
    /// What a typed subscriber does; a C function has no context.
    private static let inEvent = Guarded<(@Sendable () -> Void)?>(nil)

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
        #expect(answers.value == [.closing, .stale, .stale])
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
        #expect(answers.value == [.wrongThread])
        Self.inEvent.change { $0 = destroy }
        defer { Self.inEvent.change { $0 = nil } }
        let function:
            @convention(c) (UnsafeMutableRawPointer?, Bool, UnsafePointer<CChar>) -> Void = {
                _, _, _ in ShutdownTests.inEvent.value?()
            }
        #expect(
            Answer(
                curfew_host_subscribe(
                    host.raw, "hooked_done::",
                    unsafeBitCast(function, to: curfew_any_function.self), nil, nil, nil)) == .ok)
        #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
        #expect(answers.wait { $0.count == 2 })
        #expect(host.destroy() == .ok)
        #expect(answers.value == [Answer](repeating: .wrongThread, count: 3))
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
            let call = try #require(kept.value)
            let begun = Signal()
            let caller = Side { () -> Int in
                var calls = 0
                while !ended.value {
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
        #expect(host.shutDown(leave: .millisecond) == .timedOut)
        stuck.go.send()
        #expect(loader.join() == .closing)
        #expect(plugin.retirements.value == 1)
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
            let call = try #require(table.value)
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
            Unmanaged<Guarded<(() -> Void)?>>.fromOpaque(raw!).takeUnretainedValue().value?()
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
        #expect(steps.value == ["\(Answer.wrongThread)", "retired"])
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
}
