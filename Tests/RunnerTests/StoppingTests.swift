// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Cancel, stop, pause, resume, wait and query.
@Suite("Stopping, holding back and waiting")
struct StoppingTests {
    @Test(
        "without an expiration callback the grace still runs; back within it is expired, unpunished"
    )
    func noCallback() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            run: stuck.run { call in
                call.isExpired && call.remaining == 0 ? .ok : .failed
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second + .second / 2)
        #expect(try host.query(task).phase == .stopping)
        stuck.go.send(2)
        #expect(host.wait(task) == .ok)
        let ending = try Ending(of: task, in: host)
        #expect(
            ending
                == Ending(
                    .expired, reason: .budget, answered: true,
                    text: Ending.expiredText))
        #expect(host.wait(try host.launch()) == .ok)
        #expect(try !host.handler().isQuarantined)
        #expect(host.counts.contractViolations == 0)
    }

    @Test("a function without an expiration callback that outlasts its grace is not answered")
    func noCallbackGraceOver() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 2 * .second)
        #expect(
            try Ending(of: task, in: host)
                == Ending(
                    .expired, reason: .budget, text: Ending.expiredText))
        stuck.go.send()
    }

    @Test("the expired event comes once, before the done event")
    func expiredEvent() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second)
        #expect(host.cancel(task) == .already)
        #expect(host.stop(task) == .already)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.filter { $0.task == task }.map(\.name)
        #expect(seen == ["tidy_expired", "tidy_done::"])
        #expect(stuck.reasons.value.count == 1)
    }

    @Test("a cancelled pending task may be completed within its grace")
    func cancelPending() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(host.call(task).isExpired)
        #expect(host.call(task).remaining == 0)
        #expect(host.call(task).facts?.reason == Int32(StopReason.cancelled.rawValue))
        #expect(host.call(task).complete() == .late)
        #expect(try host.query(task).outcome == .cancelled)
    }

    @Test("a pending task released after it was told to stop ends as that says")
    func releaseStopped() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.stop(task) == .ok)
        #expect(host.call(task).release() == .ok)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.expiredText)]])
    }

    @Test("a task held back is passed by others, and runs when it is let go")
    func holdBack() throws {
        let host = try TestHost(workers: 1)
        let order = Guarded<[UInt8]>([])
        try host.register { call in
            order.change { $0 += call.payload ?? [] }
            return .ok
        }
        _ = host.engine.pause(nil)
        let tasks = try (1...3).map { try host.launch(payload: [UInt8($0)]) }
        #expect(host.resume(tasks[0]) == .wrongState)
        #expect(host.pause(tasks[0]) == .ok)
        #expect(try host.query(tasks[0]).phase == .held)
        #expect(host.pause(tasks[0]) == .ok)
        _ = host.engine.resume(nil)
        #expect(host.wait(tasks[2]) == .ok)
        #expect(order.value == [2, 3])
        #expect(try host.query(tasks[0]).phase == .held)
        #expect(host.resume(tasks[0]) == .ok)
        #expect(host.wait(tasks[0]) == .ok)
        #expect(order.value == [2, 3, 1])
        #expect(host.resume(tasks[0]) == .already)
        #expect(host.pause(tasks[0]) == .already)
    }

    @Test("a task let go before its turn keeps its place")
    func letGoInTime() throws {
        let host = try TestHost(workers: 1)
        let order = Guarded<[UInt8]>([])
        try host.register { call in
            order.change { $0 += call.payload ?? [] }
            return .ok
        }
        _ = host.engine.pause(nil)
        let tasks = try (1...3).map { try host.launch(payload: [UInt8($0)]) }
        #expect(host.pause(tasks[0]) == .ok)
        #expect(host.resume(tasks[0]) == .ok)
        _ = host.engine.resume(nil)
        #expect(host.wait(tasks[2]) == .ok)
        #expect(order.value == [1, 2, 3])
    }

    @Test("a task let go after its turn finds no place in a full queue and stays held")
    func letGoBusy() throws {
        let host = try TestHost(workers: 1) { $0.queueLimit = 2 }
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        _ = host.engine.pause(nil)
        let held = try host.launch()
        let running = try host.launch()
        #expect(host.pause(held) == .ok)
        _ = host.engine.resume(nil)
        #expect(stuck.entered.wait())
        #expect(try host.query(running).phase == .running)
        _ = try host.launch()
        let last = try host.launch()
        #expect(host.resume(held) == .busy)
        #expect(try host.query(held).phase == .held)
        stuck.go.send(4)
        #expect(host.wait(last) == .ok)
        #expect(host.resume(held) == .ok)
        #expect(host.wait(held) == .ok)
    }

    @Test("a held task can be cancelled, before and after its turn", arguments: [false, true])
    func cancelHeld(afterItsTurn: Bool) throws {
        let host = try TestHost(workers: 1)
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        let held = try host.launch()
        let next = try host.launch()
        #expect(host.pause(held) == .ok)
        if afterItsTurn {
            _ = host.engine.resume(nil)
            #expect(host.wait(next) == .ok)
        }
        #expect(host.cancel(held) == .ok)
        _ = host.engine.resume(nil)
        #expect(host.wait(held) == .ok)
        #expect(host.wait(next) == .ok)
        #expect(try host.query(held).outcome == .cancelled)
        #expect(host.release(held) == .ok)
        try host.waitUntil("stale") { host.isStale(held) }
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: held).count == 1)
    }

    @Test("a running task cannot be held back")
    func holdRunning() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.pause(task) == .wrongState)
        #expect(host.resume(task) == .wrongState)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
    }

    @Test("every call about a task can be made from a worker, a deadline thread and the loop")
    func fromEveryThread() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        _ = host.engine.pause("org.example.tidy")
        let ask: @Sendable (TestHost) -> [Status] = { host in
            let (launched, task) = host.tryLaunch()
            return [
                launched, host.engine.query(task) == nil ? .stale : .ok, host.pause(task),
                host.resume(task),
                host.cancel(task), host.keepTask(task), host.release(task), host.release(task),
                host.keepTask(12_345_678),
            ]
        }
        let wanted = [Status](repeating: .ok, count: 8) + [.stale]
        let answers = Guarded<[[Status]]>([])
        let looped = Observer { [unowned host] event in
            if event.name == "asker_done::" { answers.change { $0.append(ask(host)) } }
        }
        try host.observe("asker_done::", by: looped)
        try host.register(
            "org.example.asker",
            expired: { [unowned host] call, _ in
                answers.change { $0.append(ask(host)) }
                _ = call.complete()
            },
            run: { [unowned host] _ in
                answers.change { $0.append(ask(host)) }
                return .pending
            })
        let task = try host.launch("org.example.asker")
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.value == [wanted, wanted, wanted])
    }

    @Test(
        "waiting is refused on a worker and a deadline thread, and runs the loop on the loop's thread"
    )
    func waitThreads() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        try host.register { _ in .ok }
        let inLoop = Observer { [unowned host] event in
            let (_, other) = host.tryLaunch()
            answers.change { $0.append(host.wait(other)) }
        }
        try host.observe("asker_done::", by: inLoop)
        try host.register(
            "org.example.asker",
            expired: { [unowned host] call, _ in
                answers.change { $0.append(host.wait(call.task)) }
                _ = call.complete()
            },
            run: { [unowned host] call in
                answers.change { $0.append(host.wait(call.task)) }
                return .pending
            })
        let task = try host.launch("org.example.asker")
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.value == [.wrongThread, .wrongThread, .ok])
    }

    @Test("a wait ends with TIMED_OUT while the task goes on, and fills in its state")
    func waitTimesOut() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.wait(task, within: 0) == .timedOut)
        #expect(host.wait(task, within: .millisecond) == .timedOut)
        #expect(host.wait(0) == .stale)
        #expect(host.call(task).complete() == .ok)
        #expect(host.wait(task, within: 0) == .ok)
        #expect(host.wait(task, within: .max) == .ok)
    }

    @Test("forty threads can wait for the same task")
    func manyWaiters() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let waiters = (0..<40).map { _ in Side { host.wait(task) } }
        #expect(host.call(task).complete() == .ok)
        for waiter in waiters { #expect(waiter.join() == .ok) }
    }
}
