// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// Every row of how a task can end.
@Suite("How a task can end")
struct EndingTests {
    /// Checks a kept task's end, shuts the host down, and checks that one done event said so.
    private func check(
        _ task: curfew_task, in host: TestHost, _ ending: Ending,
        location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(host.wait(task) == .ok, sourceLocation: location)
        #expect(try Ending(of: task, in: host) == ending, sourceLocation: location)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_OVER, sourceLocation: location)
        #expect(host.shutDown() == .ok, sourceLocation: location)
        #expect(host.all.dones(of: task) == [ending.done], sourceLocation: location)
    }

    @Test("a function that returns success has succeeded; a later completion comes too late")
    func returnedSuccess() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_OK) }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        #expect(host.call(task).complete(CURFEW_FAILED, error: "no") == .already)
        try check(task, in: host, Ending(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("complete(success) inside the function decides; what is returned then is ignored")
    func completedInside() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register { call in
            answers.change { $0 = [call.complete(result: [1, 2, 3]), call.complete()] }
            return call.fail("too late to say so")
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.result(task) == [1, 2, 3])
        try check(task, in: host, Ending(CURFEW_OUTCOME_SUCCEEDED))
        #expect(answers.now == [.ok, .already])
    }

    @Test("complete(success) of a pending task from another thread")
    func completedLater() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        #expect(host.wait(task, within: 0) == .timedOut)
        let call = host.call(task)
        try host.waitUntilPending(task)
        #expect(call.complete() == .ok)
        #expect(call.complete() == .already)
        try check(task, in: host, Ending(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("a function that returns an error has failed with its message")
    func returnedFailure() throws {
        let host = try TestHost()
        try host.register { $0.fail("no disk") }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        try check(task, in: host, Ending(CURFEW_OUTCOME_FAILED, text: "no disk"))
    }

    @Test("a function that returns an error without a message has failed with the status' text")
    func returnedFailureWithoutText() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_NOT_FOUND) }
        let task = try host.launch()
        try check(task, in: host, Ending(CURFEW_OUTCOME_FAILED, text: "not found"))
    }

    @Test("a completion with an error has failed with its text")
    func completedFailure() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.call(task).complete(CURFEW_FAILED, error: "kaputt ☂") == .ok)
        #expect(host.call(task).complete() == .already)
        try check(task, in: host, Ending(CURFEW_OUTCOME_FAILED, text: "kaputt ☂"))
    }

    @Test("a completion with an error but no text has failed with the status' text")
    func completedFailureWithoutText() throws {
        let host = try TestHost()
        try host.register { call in
            _ = call.complete(CURFEW_BUSY)
            return 0
        }
        let task = try host.launch()
        let text = String(cString: curfew_status_text(curfew_status(CURFEW_BUSY)))
        try check(task, in: host, Ending(CURFEW_OUTCOME_FAILED, text: text))
    }

    @Test(
        "over its budget, answered within the grace: expired whatever it returns",
        arguments: [CURFEW_OK, CURFEW_FAILED])
    func expiredReturned(status: Int) throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in status == CURFEW_OK ? 0 : call.fail("interrupted") })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_STOPPING)
        #expect(host.all.dones(of: task).isEmpty)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(host.call(task).complete() == .already)
        try check(
            task, in: host,
            Ending(
                CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                text: Ending.expiredText))
        #expect(stuck.reasons.now == [curfew_reason(CURFEW_REASON_BUDGET)])
    }

    @Test(
        "over its budget, completed within the grace: LATE, and expired whatever it says",
        arguments: [CURFEW_OK, CURFEW_FAILED])
    func expiredCompleted(status: Int) throws {
        let host = try TestHost()
        let stuck = Stuck()
        let answers = Guarded<[Answer]>([])
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                answers.change {
                    $0 = [call.complete(status, error: "half of it"), call.complete()]
                }
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second)
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                text: Ending.expiredText))
        #expect(answers.now == [.late, .already])
    }

    @Test("over its budget, completed by the expiration callback itself: LATE")
    func expiredCompletedByCallback() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register(
            expired: { call, _ in answers.change { $0.append(call.complete(result: [7])) } },
            run: { _ in curfew_status(CURFEW_PENDING) })
        let task = try host.launch()
        try host.waitUntilPending(task)
        host.clock?.advance(.second)
        #expect(answers.now == [.late])
        #expect(host.result(task) == [7])
        try check(
            task, in: host,
            Ending(
                CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                text: Ending.expiredText))
    }

    @Test("over its budget and its grace: expired by the host at the end of the grace")
    func graceOver() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let answers = Guarded<[Answer]>([])
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                answers.change { $0 = [call.complete(), call.complete()] }
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(2 * .second - 1)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_NONE)
        #expect(host.all.dones(of: task).isEmpty)
        host.clock?.advance(1)
        let ending = Ending(
            CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, text: Ending.expiredText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(try !host.query(task).returned)
        stuck.go.send()
        try check(task, in: host, ending)
        #expect(answers.now == [.expired, .expired])
    }

    @Test("a pending task over its budget and its grace: EXPIRED to whoever completes it then")
    func graceOverPending() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        host.clock?.advance(2 * .second)
        #expect(host.call(task).complete() == .expired)
        try check(
            task, in: host,
            Ending(CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, text: Ending.expiredText))
    }

    @Test(
        "told to stop by the host: expired with the reason kept, answered or not",
        arguments: [CURFEW_REASON_CONDITION, CURFEW_REASON_HOST], [true, false])
    func stopped(reason: Int, answers: Bool) throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                _ = call.complete()
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.stop(task, reason) == .ok)
        #expect(host.stop(task, reason) == .already)
        #expect(stuck.expired.wait())
        #expect(stuck.reasons.now == [curfew_reason(reason)])
        if !answers { host.clock?.advance(.second) }
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                CURFEW_OUTCOME_EXPIRED, reason: reason, answered: answers, text: Ending.expiredText)
        )
    }

    @Test("cancelled while queued: never entered, and its done event follows at once")
    func cancelledQueued() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let ran = Guarded<[curfew_task]>([])
        try host.register(
            run: stuck.run { call in
                ran.change { $0.append(call.task) }
                return 0
            })
        let first = try host.launch()
        #expect(stuck.entered.wait())
        let second = try host.launch()
        #expect(host.cancel(second) == .ok)
        #expect(host.cancel(second) == .already)
        #expect(host.wait(second) == .ok)
        #expect(host.all.waits { $0.task == second && $0.isDone })
        let state = try host.query(second)
        #expect(state.started_ns == 0)
        #expect(state.returned)
        stuck.go.send(2)
        #expect(host.wait(first) == .ok)
        try check(
            second, in: host,
            Ending(
                CURFEW_OUTCOME_CANCELLED, reason: CURFEW_REASON_NONE, text: Ending.cancelledText))
        #expect(ran.now == [first])
    }

    @Test("cancelled while running: cancelled, answered or not", arguments: [true, false])
    func cancelledRunning(answers: Bool) throws {
        let host = try TestHost()
        let stuck = Stuck()
        let verdict = Guarded<Answer?>(nil)
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                verdict.change { $0 = call.complete() }
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.cancel(task) == .ok)
        #expect(host.cancel(task) == .already)
        #expect(stuck.expired.wait())
        #expect(stuck.reasons.now == [curfew_reason(CURFEW_REASON_CANCELLED)])
        if !answers { host.clock?.advance(.second) }
        stuck.go.send()
        try check(
            task, in: host,
            Ending(
                CURFEW_OUTCOME_CANCELLED, reason: CURFEW_REASON_CANCELLED, answered: answers,
                text: Ending.cancelledText))
        #expect(verdict.now == (answers ? .late : .expired))
    }

    @Test("interrupted by shutdown, answered within its grace: LATE, then CLOSING")
    func interruptedAnswered() throws {
        let host = try TestHost()
        let verdict = Guarded<Answer?>(nil)
        try host.register(
            expired: { call, reason in
                if reason == CURFEW_REASON_SHUTDOWN { verdict.change { $0 = call.complete() } }
            }, run: { _ in curfew_status(CURFEW_PENDING) })
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.shutDown() == .ok)
        #expect(verdict.now == .late)
        #expect(host.call(task).complete() == .closing)
        let ending = Ending(
            CURFEW_OUTCOME_INTERRUPTED, reason: CURFEW_REASON_SHUTDOWN, answered: true,
            text: Ending.interruptedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
    }

    @Test("interrupted by shutdown, not answered: EXPIRED, then CLOSING")
    func interruptedUnanswered() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let verdict = Guarded<Answer?>(nil)
        try host.register(
            expired: stuck.onExpired,
            run: stuck.run { call in
                verdict.change { $0 = call.complete() }
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        let shutdown = Side {
            host.shutDown(expire: .millisecond, leave: Guarded<Int>.limit.nanoseconds)
        }
        #expect(host.all.waits { $0.task == task && $0.isDone })
        stuck.go.send()
        #expect(shutdown.join() == .ok)
        #expect(verdict.now == .expired)
        #expect(host.call(task).complete() == .closing)
        let ending = Ending(
            CURFEW_OUTCOME_INTERRUPTED, reason: CURFEW_REASON_SHUTDOWN,
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
            return 0
        }
        _ = curfew_host_pause_handler(host.raw, "org.example.tidy", nil)
        let task = try host.launch()
        #expect(host.shutDown() == .ok)
        let ending = Ending(CURFEW_OUTCOME_INTERRUPTED, text: Ending.interruptedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(runs.now == 0)
    }

    @Test("a pending task whose last reference goes is abandoned at once; its id is stale then")
    func abandoned() throws {
        let host = try TestHost()
        let released = Guarded<Answer?>(nil)
        let go = Signal()
        try host.register { call in
            _ = Side {
                _ = go.wait()
                released.change { $0 = call.release() }
            }
            return curfew_status(CURFEW_PENDING)
        }
        let task = try host.launch()
        try host.waitUntilPending(task)
        go.send()
        #expect(host.wait(task) == .ok)
        let ending = Ending(CURFEW_OUTCOME_ABANDONED, text: Ending.abandonedText)
        #expect(try Ending(of: task, in: host) == ending)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(released.wait { $0 != nil })
        #expect(released.now == .ok)
        #expect(host.release(task) == .ok)
        // The id is good until the done event's delivery is over.
        try host.waitUntil("stale") { host.queryAnswer(task) == .stale }
        #expect(host.call(task).complete() == .stale)
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task) == [ending.done])
        #expect(host.counts.contract_violations == 1)
    }

    @Test("an abandoned task is stale to its plugin, also while its launcher keeps it")
    func abandonedKept() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.call(task).release() == .ok)
        #expect(host.call(task).complete() == .stale)
        try check(task, in: host, Ending(CURFEW_OUTCOME_ABANDONED, text: Ending.abandonedText))
    }

    @Test("once over and released, a task's id is stale to every call")
    func staleForEver() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(host.release(task) == .ok)
        // Its slot is used again, by as many tasks as it takes.
        for _ in 0..<3_000 {
            let other = try host.launch()
            #expect(host.wait(other) == .ok)
            #expect(host.release(other) == .ok)
        }
        #expect(host.queryAnswer(task) == .stale)
        #expect(host.cancel(task) == .stale)
        #expect(host.stop(task) == .stale)
        #expect(host.pause(task) == .stale)
        #expect(host.resume(task) == .stale)
        #expect(host.wait(task) == .stale)
        #expect(host.keepTask(task) == .stale)
        #expect(host.release(task) == .stale)
        #expect(host.errorText(task) == nil)
        let call = host.call(task)
        #expect(call.complete() == .stale)
        #expect(call.keep() == .stale)
        #expect(call.release() == .stale)
        #expect(call.progress(0.5) == .stale)
        #expect(call.raise("tidy_progress", [.double(0), .text("")]) == .stale)
        #expect(call.isExpired)
        #expect(call.remaining == 0)
        #expect(call.info == nil)
    }
}
