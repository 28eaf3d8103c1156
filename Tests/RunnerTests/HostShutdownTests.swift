// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The four phases of a shutdown, and what comes after.
///
/// Serialized, since some count the hosts that were left behind.
@Suite("Shutting down", .serialized)
struct HostShutdownTests {
    private static let longest = Guarded<Int>.limit.nanoseconds

    @Test("every waiter is woken with CLOSING when shutdown begins")
    func wakesWaiters() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let started = Signal()
        let waiters = (0..<2).map { _ in
            Side { () -> Status in
                started.send()
                return host.wait(task)
            }
        }
        let expectation = try host.expect("never")
        let collector = Side { () -> Status in
            started.send()
            return host.collect(expectation).status
        }
        for _ in 0..<3 { #expect(started.wait()) }
        // A wait that ends by itself must not take the others with it.
        #expect(host.wait(task, within: .millisecond) == .timedOut)
        let shutdown = Side { host.shutDown(drain: HostShutdownTests.longest) }
        for waiter in waiters { #expect(waiter.join() == .closing) }
        #expect(collector.join() == .closing)
        #expect(!shutdown.isOver)
        stuck.go.send()
        #expect(shutdown.join() == .ok)
        #expect(host.wait(task) == .ok)
    }

    @Test("a waiter that runs the loop is woken with CLOSING too")
    func wakesLoop() throws {
        let host = try TestHost(ownLoop: true)
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let started = Signal()
        let waiter = Side { () -> [Status] in
            host.dispatch()
            let expectation = try? host.expect("never")
            started.send()
            return [host.collect(expectation ?? 0).status, host.wait(task)]
        }
        #expect(started.wait())
        let shutdown = Side { host.shutDown(drain: HostShutdownTests.longest) }
        #expect(waiter.join() == [.closing, .closing])
        #expect(!shutdown.isOver)
        stuck.go.send()
        #expect(shutdown.join() == .ok)
    }

    @Test("it waits as long as the grace of any task that runs, also a grace of its own")
    func ownGrace() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(grace: .second, run: stuck.run { _ in .ok })
        let usual = host.runtime.longestShutdown(ShutdownLimits())
        let task = try host.launch(grace: 3_600 * .second)
        #expect(stuck.entered.wait())
        #expect(
            host.runtime.longestShutdown(ShutdownLimits()) == usual + 3_599 * UInt64.second)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(host.runtime.longestShutdown(ShutdownLimits()) == usual)
    }

    @Test("drain lets running, pending and queued tasks finish")
    func drain() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        try host.register("org.example.later") { _ in .pending }
        let tasks = try (0..<3).map { _ in try host.launch() }
        let pending = try host.launch("org.example.later")
        try host.waitUntilPending(pending)
        #expect(stuck.entered.wait())
        let shutdown = Side { host.shutDown(drain: HostShutdownTests.longest) }
        try host.waitUntil("closing") { host.raise("probe") == .closing }
        stuck.go.send(3)
        #expect(stuck.entered.wait())
        #expect(stuck.entered.wait())
        #expect(!shutdown.isOver)
        #expect(host.call(pending).complete() == .ok)
        #expect(shutdown.join() == .ok)
        for task in tasks + [pending] {
            #expect(try host.query(task).outcome == .succeeded)
            #expect(host.all.dones(of: task) == [[.bool(true), .text("")]])
        }
    }

    @Test("after the drain the other tasks expire with the reason SHUTDOWN, held ones included")
    func expire() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: { call, reason in
                stuck.onExpired(call, reason)
                stuck.go.send()
            }, run: stuck.run { _ in .ok })
        let running = try host.launch()
        #expect(stuck.entered.wait())
        let queued = try host.launch()
        let held = try host.launch()
        #expect(host.pause(held) == .ok)
        #expect(host.shutDown(drain: .millisecond) == .ok)
        #expect(stuck.reasons.value == [StopReason.shutdown])
        #expect(try host.query(running).isAnswered)
        for task in [running, queued, held] {
            #expect(try host.query(task).outcome == .interrupted)
            #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        }
    }

    @Test("a task cancelled before shutdown stays cancelled")
    func cancelledBefore() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(host.shutDown(expire: .millisecond) == .ok)
        #expect(try host.query(task).outcome == .cancelled)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.cancelledText)]])
    }

    @Test("a function that never returns makes shutdown say TIMED_OUT and name it")
    func neverReturns() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let (answer, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(text.contains("org.example.tidy"))
        #expect(try host.query(task).outcome == .interrupted)
        #expect(host.all.dones(of: task).count == 1)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).isReturned }
        try host.waitUntil("gone") { host.counts.workers == 0 }
        #expect(host.destroy() == .ok)
    }

    @Test("a host without a thread inside leaves nothing behind")
    func noLeak() throws {
        let before = HostRuntime.leakedHosts
        let host = try TestHost()
        try host.register { _ in .ok }
        for _ in 0..<100 { #expect(host.wait(try host.launch()) == .ok) }
        #expect(host.destroy() == .ok)
        #expect(HostRuntime.leakedHosts == before)
    }

    @Test("with an own loop, done events can be dispatched after the shutdown")
    func dispatchAfterwards() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.engine.pause(nil)
        let queued = try host.launch()
        #expect(host.shutDown(expire: .millisecond) == .ok)
        #expect(host.all.dones(of: task).isEmpty)
        #expect(host.dispatch() != nil)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        #expect(host.all.dones(of: queued) == [[.bool(false), .text(Ending.interruptedText)]])
        #expect(host.dispatch() == 0)
    }

    @Test("where a thread of Curfew runs the loop, a shutdown delivers everything")
    func deliveredBefore() throws {
        let host = try TestHost(clock: nil)
        try host.register(concurrency: 4) { _ in .ok }
        let tasks = try (0..<500).map { _ in try host.launch(keep: false) }
        #expect(host.shutDown(drain: HostShutdownTests.longest) == .ok)
        let done = host.all.events.filter(\.isDone)
        #expect(done.count == tasks.count)
        #expect(Set(done.map(\.task)) == Set(tasks))
        #expect(host.dispatch() == 0)
    }

    @Test("destroy and shutdown are refused from a handler, an expired callback and an event")
    func wrongThread() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        let tryBoth: @Sendable (TestHost) -> Void = { host in
            let both = [
                host.shutDown(), host.destroy(),
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
                return .pending
            })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 6 })
        #expect(answers.value == [Status](repeating: .wrongThread, count: 6))
        try host.register("org.example.other") { _ in .ok }
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        // The last callback may hold the host for a moment longer than this does.
        #expect(host.destroy() == .ok)
    }

    @Test("another host's callbacks may destroy a host")
    func fromAnotherHost() throws {
        let host = try TestHost()
        let victim = try TestHost()
        let answer = Guarded<Status?>(nil)
        try host.register { _ in
            answer.change { $0 = victim.destroy() }
            return .ok
        }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(answer.value == .ok)
    }

    @Test("two threads may shut down at once; both return when it is over")
    func twoThreads() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        _ = try host.launch()
        #expect(stuck.entered.wait())
        let sides = (0..<2).map { _ in Side { host.shutDown(drain: HostShutdownTests.longest) } }
        try host.waitUntil("closing") { host.raise("probe") == .closing }
        #expect(!sides.contains { $0.isOver })
        stuck.go.send()
        for side in sides { #expect(side.join() == .ok) }
    }

    @Test("launches that race with a shutdown are refused or ended, each with its one done event")
    func racingLaunches() throws {
        for _ in 0..<20 {
            let host = try TestHost(clock: nil)
            try host.register(concurrency: 2) { _ in .ok }
            let go = Signal()
            let launchers = (0..<2).map { _ in
                Side { () -> [UInt64] in
                    var tasks: [UInt64] = []
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
        let leaked = HostRuntime.leakedHosts
        var random = SystemRandomNumberGenerator()
        for round in 0..<300 {
            let host = try TestHost(clock: nil)
            try host.register(concurrency: UInt32(round % 3 + 1)) { call in
                if round % 2 == 1 { _ = call.complete() }
                return .ok
            }
            var launched: [UInt64] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let (answer, task) = host.tryLaunch(keep: false)
                if answer == .ok { launched.append(task) }
                for _ in 0..<Int.random(in: 0...2_000, using: &random) {
                    _ = HostRuntime.leakedHosts
                }
            }
            #expect(host.destroy() == .ok)
            #expect(
                host.all.events.filter(\.isDone).map(\.task).sorted() == launched.sorted(),
                "round \(round)")
        }
        #expect(HostRuntime.leakedHosts == leaked)
    }

    @Test("an expiration callback that never returns makes shutdown say TIMED_OUT and name it")
    func callbackInside() throws {
        let leaked = HostRuntime.leakedHosts
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: { _, _ in
                stuck.entered.send()
                _ = stuck.go.wait()
            }, run: { _ in .pending })
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.stop(task) == .ok)
        #expect(stuck.entered.wait())
        let (answer, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(text.contains("the expiration callback of \"org.example.tidy\""), "\(text)")
        stuck.go.send()
        #expect(host.destroy() == .ok)
        #expect(HostRuntime.leakedHosts == leaked)
    }

    @Test("a wait for a phase ends when its condition has come true, or its time is over")
    func phase() {
        let (phase, isSet) = (HostPhase(), Guarded(false))
        let waiter = Side { phase.wait(until: .max) { isSet.value } }
        isSet.value = true
        phase.progressed()
        #expect(waiter.join() == true)
        #expect(!phase.wait(until: 1) { false })
    }

    @Test("a launch into a shutdown is refused, and leaves nothing behind")
    func refused() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        #expect(host.shutDown() == .ok)
        #expect(host.tryLaunch().status == .closing)
        #expect(try host.handler().queue.length == 0)
    }

    @Test("a thread that shuts down beside another one has the same result")
    func sameResult() throws {
        // On a busy machine a thread can come after the other one, which leaves it nothing to do.
        var results: [Status?] = []
        for _ in 0..<10 where results != [.timedOut, .timedOut] {
            let host = try TestHost()
            let stuck = Stuck()
            try host.register(run: stuck.run { _ in .ok })
            _ = try host.launch()
            #expect(stuck.entered.wait())
            let sides = [true, false].map { isFirst in
                Side { () -> Status in
                    if !isFirst { while host.engine.phase.isOpen { sched_yield() } }
                    return host.shutDown(expire: .millisecond, leave: .millisecond)
                }
            }
            results = sides.map { $0.join() }
            stuck.go.send()
            #expect(results.contains(.timedOut))
        }
        #expect(results == [.timedOut, .timedOut])
    }
}
