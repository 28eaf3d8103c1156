// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Every row of how a task can end.
@Suite("How a task can end")
struct EndingTests {
    /// Checks a kept task's end, shuts the host down, and checks that one done event said so.
    private func check(
        _ task: UInt64, in host: TestHost, _ ending: Ending,
        location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(host.wait(task) == .ok, sourceLocation: location)
        #expect(try Ending(of: task, in: host) == ending, sourceLocation: location)
        #expect(try host.query(task).phase == .over, sourceLocation: location)
        #expect(host.shutDown() == .ok, sourceLocation: location)
        #expect(host.all.dones(of: task) == [ending.done], sourceLocation: location)
    }

    @Test("a function that returns success has succeeded; a later completion comes too late")
    func returnedSuccess() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        #expect(host.call(task).complete(.failed, error: "no") == .already)
        try check(task, in: host, Ending(.succeeded))
    }

    @Test("complete(success) inside the function decides; what is returned then is ignored")
    func completedInside() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        try host.register { call in
            answers.change { $0 = [call.complete(result: [1, 2, 3]), call.complete()] }
            return call.fail("too late to say so")
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.result(task) == [1, 2, 3])
        try check(task, in: host, Ending(.succeeded))
        #expect(answers.value == [.ok, .already])
    }

    @Test("complete(success) of a pending task from another thread")
    func completedLater() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        #expect(host.wait(task, within: 0) == .timedOut)
        let call = host.call(task)
        try host.waitUntilPending(task)
        #expect(call.complete() == .ok)
        #expect(call.complete() == .already)
        try check(task, in: host, Ending(.succeeded))
    }

    @Test("a function that returns an error has failed with its message")
    func returnedFailure() throws {
        let host = try TestHost()
        try host.register { $0.fail("no disk") }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        try check(task, in: host, Ending(.failed, text: "no disk"))
    }

    @Test("a function that returns an error without a message has failed with the status' text")
    func returnedFailureWithoutText() throws {
        let host = try TestHost()
        try host.register { _ in .notFound }
        let task = try host.launch()
        try check(task, in: host, Ending(.failed, text: "not found"))
    }

    @Test("a completion with an error has failed with its text")
    func completedFailure() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.call(task).complete(.failed, error: "kaputt ☂") == .ok)
        #expect(host.call(task).complete() == .already)
        try check(task, in: host, Ending(.failed, text: "kaputt ☂"))
    }

    @Test("a completion with an error but no text has failed with the status' text")
    func completedFailureWithoutText() throws {
        let host = try TestHost()
        try host.register { call in
            _ = call.complete(.busy)
            return .ok
        }
        let task = try host.launch()
        let text = "\(Status.busy)"
        try check(task, in: host, Ending(.failed, text: text))
    }

    @Test(
        "over its budget, answered within the grace: expired whatever it returns",
        arguments: [Status.ok, .failed])
    func expiredReturned(status: Status) throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in status == .ok ? .ok : call.fail("interrupted") })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second)
        #expect(try host.query(task).phase == .stopping)
        #expect(host.all.dones(of: task).isEmpty)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        try check(
            task, in: host,
            Ending(
                .expired, reason: .budget, answered: true,
                text: Ending.expiredText))
        #expect(stuck.reasons.value == [StopReason.budget])
    }

    @Test(
        "over its budget, completed within the grace: LATE, and expired whatever it says",
        arguments: [Status.ok, .failed])
    func expiredCompleted(status: Status) throws {
        let host = try TestHost()
        let stuck = Stuck()
        let answers = Guarded<[Status]>([])
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                answers.change {
                    $0 = [call.complete(status, error: "half of it"), call.complete()]
                }
                return .ok
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second)
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                .expired, reason: .budget, answered: true,
                text: Ending.expiredText))
        #expect(answers.value == [.late, .already])
    }

    @Test("over its budget, completed by the expiration callback itself: LATE")
    func expiredCompletedByCallback() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        try host.register(
            expired: { call, _ in answers.change { $0.append(call.complete(result: [7])) } },
            run: { _ in .pending })
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.clock?.advance(by: .second)
        #expect(answers.value == [.late])
        #expect(host.result(task) == [7])
        try check(
            task, in: host,
            Ending(
                .expired, reason: .budget, answered: true,
                text: Ending.expiredText))
    }

    @Test("over its budget and its grace: expired by the host at the end of the grace")
    func graceOver() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let answers = Guarded<[Status]>([])
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                answers.change { $0 = [call.complete(), call.complete()] }
                return .ok
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 2 * .second - 1)
        #expect(try host.query(task).outcome == nil)
        #expect(host.all.dones(of: task).isEmpty)
        _ = host.clock?.advance(by: 1)
        let ending = Ending(
            .expired, reason: .budget, text: Ending.expiredText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(try !host.query(task).isReturned)
        stuck.go.send()
        try check(task, in: host, ending)
        #expect(answers.value == [.expired, .expired])
    }

    @Test("a pending task over its budget and its grace: completing it then returns EXPIRED")
    func graceOverPending() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.clock?.advance(by: 2 * .second)
        #expect(host.call(task).complete() == .expired)
        try check(
            task, in: host,
            Ending(.expired, reason: .budget, text: Ending.expiredText))
    }

    @Test(
        "told to stop by the host: expired with the reason kept, answered or not",
        arguments: [StopReason.condition, .host], [true, false])
    func stopped(reason: StopReason, answers: Bool) throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                _ = call.complete()
                return .ok
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.stop(task, reason) == .ok)
        #expect(host.stop(task, reason) == .already)
        #expect(stuck.expired.wait())
        #expect(stuck.reasons.value == [reason])
        if !answers { _ = host.clock?.advance(by: .second) }
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                .expired, reason: reason, answered: answers, text: Ending.expiredText)
        )
    }

    @Test("cancelled while queued: never entered, and its done event follows at once")
    func cancelledQueued() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let ran = Guarded<[UInt64]>([])
        try host.register(
            run: stuck.run { call in
                ran.change { $0.append(call.task) }
                return .ok
            })
        let first = try host.launch()
        #expect(stuck.entered.wait())
        let second = try host.launch()
        #expect(host.cancel(second) == .ok)
        #expect(host.cancel(second) == .already)
        #expect(host.wait(second) == .ok)
        #expect(host.all.waits { $0.task == second && $0.isDone })
        let state = try host.query(second)
        #expect(state.startedAt == 0)
        #expect(state.isReturned)
        stuck.go.send(2)
        #expect(host.wait(first) == .ok)
        try check(
            second, in: host,
            Ending(
                .cancelled, reason: nil, text: Ending.cancelledText))
        #expect(ran.value == [first])
    }

    @Test("cancelled while running: cancelled, answered or not", arguments: [true, false])
    func cancelledRunning(answers: Bool) throws {
        let host = try TestHost()
        let stuck = Stuck()
        let verdict = Guarded<Status?>(nil)
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                verdict.change { $0 = call.complete() }
                return .ok
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.cancel(task) == .ok)
        #expect(host.cancel(task) == .already)
        #expect(stuck.expired.wait())
        #expect(stuck.reasons.value == [StopReason.cancelled])
        if !answers { _ = host.clock?.advance(by: .second) }
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                .cancelled, reason: .cancelled, answered: answers,
                text: Ending.cancelledText))
        #expect(verdict.value == (answers ? .late : .expired))
    }

    @Test("interrupted by shutdown, answered within its grace: LATE, then CLOSING")
    func interruptedAnswered() throws {
        let host = try TestHost()
        let verdict = Guarded<Status?>(nil)
        try host.register(
            expired: { call, reason in
                if reason == .shutdown { verdict.change { $0 = call.complete() } }
            }, run: { _ in .pending })
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.shutDown() == .ok)
        #expect(verdict.value == .late)
        #expect(host.call(task).complete() == .closing)
        let ending = Ending(
            .interrupted, reason: .shutdown, answered: true,
            text: Ending.interruptedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
    }

    @Test("interrupted by shutdown, not answered: EXPIRED, then CLOSING")
    func interruptedUnanswered() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let verdict = Guarded<Status?>(nil)
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                verdict.change { $0 = call.complete() }
                return .ok
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let shutdown = Side {
            host.shutDown(expire: .millisecond, leave: Guarded<Int>.limit.nanoseconds)
        }
        #expect(host.all.waits { $0.task == task && $0.isDone })
        stuck.go.send()
        #expect(shutdown.join() == .ok)
        #expect(verdict.value == .expired)
        #expect(host.call(task).complete() == .closing)
        let ending = Ending(
            .interrupted, reason: .shutdown,
            text: Ending.interruptedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
    }

    @Test("a queued task is interrupted by shutdown and never entered")
    func interruptedQueued() throws {
        let host = try TestHost()
        let runs = Guarded(0)
        try host.register { _ in
            runs.change { $0 += 1 }
            return .ok
        }
        _ = host.engine.pause("org.example.tidy")
        let task = try host.launch()
        #expect(host.shutDown() == .ok)
        let ending = Ending(.interrupted, text: Ending.interruptedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(runs.value == 0)
    }

    @Test("a pending task whose last reference goes is abandoned at once; its id is stale then")
    func abandoned() throws {
        let host = try TestHost()
        let released = Guarded<Status?>(nil)
        let go = Signal()
        try host.register { call in
            _ = Side {
                _ = go.wait()
                released.change { $0 = call.release() }
            }
            return .pending
        }
        let task = try host.launch()
        try host.waitUntilPending(task)
        go.send()
        #expect(host.wait(task) == .ok)
        let ending = Ending(.abandoned, text: Ending.abandonedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(released.wait { $0 != nil })
        #expect(released.value == .ok)
        #expect(host.release(task) == .ok)
        // The id is good until the done event's delivery is over.
        try host.waitUntil("stale") { host.isStale(task) }
        #expect(host.call(task).complete() == .stale)
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(host.counts.contractViolations == 1)
    }

    @Test("an abandoned task is stale to its plugin, also while its launcher keeps it")
    func abandonedKept() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.call(task).release() == .ok)
        #expect(host.call(task).complete() == .stale)
        try check(task, in: host, Ending(.abandoned, text: Ending.abandonedText))
    }
}
