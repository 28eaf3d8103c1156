// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Tasks that run at the same time, and the limits of that.
@Suite("Concurrency")
struct ConcurrencyTests {
    @Test("at most max_concurrency tasks of a handler run at a time, and so many do")
    func respected() throws {
        let host = try TestHost(workers: 8)
        let stuck = Stuck()
        let inside = Guarded((now: 0, most: 0))
        try host.register(concurrency: 3) { _ in
            inside.change {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            stuck.entered.send()
            _ = stuck.go.wait()
            inside.change { $0.now -= 1 }
            return .ok
        }
        let tasks = try (0..<12).map { _ in try host.launch() }
        for _ in 0..<3 { #expect(stuck.entered.wait()) }
        #expect(try host.handler().active == 3)
        #expect(try host.handler().queued == 9)
        stuck.go.send(12)
        for task in tasks { #expect(host.wait(task) == .ok) }
        #expect(inside.value.most == 3)
        #expect(inside.value.now == 0)
    }

    @Test("tasks of a handler start first in, first out")
    func inOrder() throws {
        let host = try TestHost()
        let order = Guarded<[UInt8]>([])
        try host.register { call in
            order.change { $0 += call.payload ?? [] }
            return .ok
        }
        var last: UInt64 = 0
        for number in 0..<200 { last = try host.launch(payload: [UInt8(number)]) }
        #expect(host.wait(last) == .ok)
        #expect(order.value == (0..<200).map { UInt8($0) })
    }

    @Test("at queue_limit a launch is BUSY, and nothing was launched")
    func busy() throws {
        let host = try TestHost { $0.queueLimit = 4 }
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        let tasks = try (0..<4).map { _ in try host.launch() }
        #expect(host.tryLaunch().status == .busy)
        #expect(try host.handler().queued == 4)
        _ = host.engine.resume(nil)
        for task in tasks { #expect(host.wait(task) == .ok) }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(host.all.events.filter(\.isDone).count == 5)
        #expect(host.counts.launched == 5)
    }

    @Test("cancelled tasks do not take the places of a paused handler's queue")
    func cancelledPlaces() throws {
        let host = try TestHost { $0.queueLimit = 4 }
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        for _ in 0..<4 { #expect(host.cancel(try host.launch()) == .ok) }
        #expect(try host.handler().queued == 0)
        #expect(host.tryLaunch().status == .ok)
    }

    @Test("at task_limit a launch is EXHAUSTED, until a task is released")
    func taskLimit() throws {
        let host = try TestHost {
            $0.taskLimit = 8
            $0.queueLimit = 4
        }
        try host.register { _ in .ok }
        var tasks: [UInt64] = []
        var answer = Status.ok
        for _ in 0..<64 where answer == .ok {
            let launched = host.tryLaunch()
            answer = launched.status
            if answer == .ok {
                tasks.append(launched.task)
                #expect(host.wait(launched.task) == .ok)
            }
        }
        #expect(answer == .exhausted)
        #expect(tasks.count >= 8)
        #expect(host.release(tasks[0]) == .ok)
        try host.waitUntil("free") { host.tryLaunch(keep: false).status == .ok }
    }

    @Test("handlers of both kinds go on while one of each kind blocks")
    func blockedHandler() throws {
        let host = try TestHost(workers: 2)
        let stuck = Stuck()
        for kind in [TaskKind.appRefresh, .processing] {
            try host.register("org.example.stuck\(kind)", kind: kind, run: stuck.run { _ in .ok })
            try host.register("org.example.fine\(kind)", kind: kind) { _ in .ok }
        }
        for kind in [TaskKind.appRefresh, .processing] {
            _ = try host.launch("org.example.stuck\(kind)")
        }
        for _ in 1...2 { #expect(stuck.entered.wait()) }
        for _ in 0..<50 {
            for kind in [TaskKind.appRefresh, .processing] {
                #expect(host.wait(try host.launch("org.example.fine\(kind)")) == .ok)
            }
        }
        stuck.go.send(2)
    }

    @Test("one kind's workers all blocked leave the other kind's free")
    func kindsApart() throws {
        let host = try TestHost(workers: 1)
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        try host.register("org.example.long", kind: .processing) { _ in .ok }
        _ = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(try host.launch("org.example.long")) == .ok)
        stuck.go.send()
    }

    @Test("expiration callbacks that block delay no other expiration")
    func blockedCallbacks() throws {
        let host = try TestHost(clock: nil, workers: 8)
        let stuck = Stuck()
        let blocked = Stuck()
        for number in 0..<4 {
            try host.register(
                "org.example.blocker\(number)", budget: .millisecond,
                expired: { _, _ in
                    blocked.entered.send()
                    _ = blocked.go.wait()
                }, run: stuck.run { _ in .ok })
            _ = try host.launch("org.example.blocker\(number)")
        }
        for _ in 0..<4 { #expect(blocked.entered.wait()) }
        // All of them are inside their callbacks; these expire all the same.
        try host.register(
            "org.example.last", budget: 2 * .millisecond,
            expired: { call, _ in _ = call.complete() },
            run: { _ in .pending })
        for _ in 0..<10 {
            let task = try host.launch("org.example.last")
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == .expired)
        }
        blocked.go.send(4)
        stuck.go.send(4)
    }

    @Test("callbacks that block every thread but one postpone callbacks, and no deadline")
    func everyCallbackBlocked() throws {
        let host = try TestHost(clock: nil)
        let blocked = Stuck()
        let called = Guarded(0)
        try host.register(
            budget: .millisecond, grace: 150 * .millisecond,
            expired: { _, _ in
                blocked.entered.send()
                _ = blocked.go.wait()
                called.change { $0 += 1 }
            }, run: { _ in .pending })
        let count = Deadlines.threadLimit + 6
        let tasks = try (0..<count).map { _ in try host.launch() }
        for _ in 1..<Deadlines.threadLimit { #expect(blocked.entered.wait()) }
        for task in tasks {
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == .expired)
        }
        #expect(
            host.log.value.contains {
                $0.hasPrefix(
                    "63 expiration callbacks of org.example.tidy have not returned, and no thread")
            })
        // A handler without a callback, and one whose callback waits.
        try host.register("org.example.plain", budget: .millisecond) { _ in .pending }
        let plain = try host.launch("org.example.plain")
        try host.waitUntil("expired") { host.engine.query(plain)?.reason == .budget }
        let (status, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(status == .timedOut)
        #expect(text.hasPrefix("the expiration callback of \"org.example.tidy\" has not returned"))
        blocked.go.send(count)
        #expect(called.wait { $0 == Deadlines.threadLimit - 1 })
    }

    @Test("callbacks that waited for a thread are called when one returns")
    func postponedCallbacks() throws {
        let host = try TestHost(clock: nil)
        let blocked = Stuck()
        let called = Guarded<[UInt64]>([])
        try host.register(
            budget: .millisecond,
            expired: { call, _ in
                blocked.entered.send()
                _ = blocked.go.wait()
                called.change { $0.append(call.task) }
                _ = call.complete()
            }, run: { _ in .pending })
        let tasks = try (0..<Deadlines.threadLimit + 6).map { _ in try host.launch() }
        for _ in 1..<Deadlines.threadLimit { #expect(blocked.entered.wait()) }
        for task in tasks {
            try host.waitUntil("told") { host.engine.query(task)?.reason == .budget }
        }
        blocked.go.send()
        #expect(blocked.entered.wait())
        blocked.go.send(tasks.count)
        for task in tasks { #expect(host.wait(task) == .ok) }
        #expect(Set(called.value) == Set(tasks))
        #expect(called.value.count == tasks.count)
        #expect(host.shutDown() == .ok)
    }

    @Test("a callback that blocks does not delay one with the same deadline on a manual clock")
    func sameDeadline() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let blocked = Stuck()
        let other = Signal()
        let first = Guarded(true)
        try host.register(
            concurrency: 2,
            expired: { _, _ in
                let isFirst = first.change { first -> Bool in
                    defer { first = false }
                    return first
                }
                guard isFirst else { return other.send() }
                blocked.entered.send()
                _ = blocked.go.wait()
            }, run: stuck.run { _ in .ok })
        _ = try host.launch()
        _ = try host.launch()
        for _ in 0..<2 { #expect(stuck.entered.wait()) }
        let advance = Side { host.clock?.advance(by: .second) }
        #expect(blocked.entered.wait())
        #expect(other.wait())
        #expect(!advance.isOver)
        blocked.go.send()
        #expect(advance.join() == .ok)
        stuck.go.send(2)
    }

    @Test("of two racing completions one is accepted, and one done event follows")
    func racingCompletions() throws {
        let host = try TestHost(clock: nil)
        let rounds = 500
        try host.register { _ in .pending }
        var accepted = 0
        let work = (0..<2).map { _ in Guarded<(round: Int, task: UInt64)>((0, 0)) }
        let said = Guarded<[Status]>([])
        let sides = work.map { work in
            Side {
                for round in 1...rounds {
                    guard work.wait(until: { $0.round >= round }) else { return false }
                    let answer = host.call(work.value.task).complete(.ok)
                    said.change { $0.append(answer) }
                }
                return true
            }
        }
        var tasks: [UInt64] = []
        for round in 1...rounds {
            let kept = round % 2 == 0
            let task = try host.launch(keep: kept)
            tasks.append(task)
            try host.waitUntil("pending") {
                host.engine.query(task)?.phase == .pending
            }
            for work in work { work.change { $0 = (round, task) } }
            #expect(said.wait { $0.count == 2 })
            let answers = said.change { answers in
                defer { answers = [] }
                return answers
            }
            accepted += answers.filter { $0 == .ok }.count
            let other = answers.first { $0 != .ok }
            #expect(kept ? other == .already : other == .already || other == .stale)
            if kept { #expect(host.release(task) == .ok) }
        }
        for side in sides { #expect(side.join() == true) }
        #expect(accepted == rounds)
        #expect(host.shutDown() == .ok)
        let done = host.all.events.filter(\.isDone).map(\.task)
        #expect(done.count == rounds)
        #expect(Set(done) == Set(tasks))
    }

    @Test("a completion that races with the return of its function, and with cancelling it")
    func racingReturn() throws {
        let host = try TestHost(clock: nil)
        let work = Guarded<UInt64>(0)
        let over = Guarded(0)
        try host.register { call in
            work.change { $0 = call.task }
            return .pending
        }
        let rounds = 500
        let verdicts = Guarded<[Status]>([])
        let completer = Side {
            var last: UInt64 = 0
            for _ in 0..<rounds {
                guard work.wait(until: { $0 != last }) else { return false }
                last = work.value
                let verdict = host.call(last).complete()
                verdicts.change { $0.append(verdict) }
            }
            return true
        }
        var tasks: [UInt64] = []
        for _ in 0..<rounds {
            let task = try host.launch()
            tasks.append(task)
            _ = host.cancel(task)
            #expect(host.wait(task) == .ok)
            if try host.query(task).startedAt == 0 {
                // Never entered: the other thread has nothing to complete.
                work.change { $0 = task }
            }
            let outcome = try host.query(task).outcome
            #expect(outcome == .cancelled || outcome == .succeeded)
            over.change { $0 += 1 }
            #expect(verdicts.wait { $0.count == tasks.count })
            #expect(host.release(task) == .ok)
        }
        #expect(completer.join() == true)
        #expect(host.shutDown() == .ok)
        for task in tasks { #expect(host.all.dones(of: task).count == 1) }
    }

    @Test("many launchers, four workers: every task ends once, and the counts agree")
    func stress() throws {
        let host = try TestHost(clock: nil, workers: 4, observing: false)
        try host.register(concurrency: 4) { call in
            call.task % 3 == 0 ? call.fail("third") : .ok
        }
        let done = Guarded<[UInt64: [EventValue]]>([:])
        let observer = Observer { event in
            done.change { $0[event.task, default: []].append(event.values[0]) }
        }
        try host.observe("tidy_done::", by: observer)
        let sides = (0..<4).map { _ in
            Side { () -> [UInt64] in
                var tasks: [UInt64] = []
                while tasks.count < 1_000 {
                    let (answer, task) = host.tryLaunch(keep: false)
                    if answer == .ok { tasks.append(task) }
                }
                return tasks
            }
        }
        let tasks = try sides.flatMap { try #require($0.join()) }
        #expect(host.shutDown(drain: Guarded<Int>.limit.nanoseconds) == .ok)
        #expect(Set(tasks).count == 4_000)
        #expect(done.value.count == 4_000)
        #expect(done.value.allSatisfy { $1 == [.bool($0 % 3 != 0)] })
        let counts = host.counts
        let failed = tasks.filter { $0 % 3 == 0 }.count
        #expect(counts.launched == 4_000)
        #expect(counts.ended[.succeeded] == UInt64(4_000 - failed))
        #expect(counts.ended[.failed] == UInt64(failed))
    }
}
