// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

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
                call.isExpired && call.remaining == 0 ? 0 : curfew_status(CURFEW_FAILED)
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second + .second / 2)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_STOPPING)
        stuck.go.send(2)
        #expect(host.wait(task) == .ok)
        let ending = try Ending(of: task, in: host)
        #expect(
            ending
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        #expect(host.wait(try host.launch()) == .ok)
        #expect(try !host.handler().quarantined)
        #expect(host.counts.contract_violations == 0)
    }

    @Test("a function without an expiration callback that outlasts its grace is not answered")
    func noCallbackGraceOver() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(2 * .second)
        #expect(
            try Ending(of: task, in: host)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, text: Ending.expiredText))
        stuck.go.send()
    }

    @Test("the expired event comes once, before the done event")
    func expiredEvent() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(expired: stuck.onExpired, run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second)
        #expect(host.cancel(task) == .already)
        #expect(host.stop(task) == .already)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.filter { $0.task == task }.map(\.selector)
        #expect(seen == ["tidy_expired", "tidy_done::"])
        #expect(stuck.reasons.now.count == 1)
    }

    @Test("the expiration callback comes on a deadline thread, never on the worker")
    func callbackThread() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let roles = Guarded<[Int32]>([])
        let role: @Sendable (RunCall) -> Int32 = { call in
            let raw = call.api.pointee.extension(call.api, CURFEW_EXT_THREAD_CHECK)
            let check = raw?.assumingMemoryBound(to: curfew_thread_check.self)
            return check?.pointee.current(call.api) ?? -1
        }
        try host.register(
            expired: { call, _ in
                roles.change { $0.append(role(call)) }
                stuck.go.send()
            },
            run: { call in
                roles.change { $0.append(role(call)) }
                stuck.entered.send()
                _ = stuck.go.wait()
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second)
        #expect(host.wait(task) == .ok)
        #expect(
            roles.now == [
                curfew_thread(CURFEW_THREAD_WORKER), curfew_thread(CURFEW_THREAD_DEADLINE),
            ])
        #expect(role(host.call(task)) == CURFEW_THREAD_OTHER)
    }

    @Test(
        "only CONDITION and HOST can be asked for; a task that has not started is cancelled instead"
    )
    func stopArguments() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let task = try host.launch()
        #expect(host.stop(task) == .wrongState)
        for reason in [
            CURFEW_REASON_NONE, CURFEW_REASON_BUDGET, CURFEW_REASON_CANCELLED,
            CURFEW_REASON_SHUTDOWN, 6, 999, -1,
        ] {
            #expect(host.stop(task, reason) == .invalid)
        }
        #expect(host.cancel(task) == .ok)
        #expect(host.stop(task) == .already)
    }

    @Test("a cancelled pending task may be completed within its grace")
    func cancelPending() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(host.call(task).isExpired)
        #expect(host.call(task).remaining == 0)
        #expect(host.call(task).info?.reason == curfew_reason(CURFEW_REASON_CANCELLED))
        #expect(host.call(task).complete() == .late)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_CANCELLED)
    }

    @Test("a pending task released after it was told to stop ends as that says")
    func releaseStopped() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.stop(task) == .ok)
        #expect(host.call(task).release() == .ok)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.expiredText)]])
    }

    @Test("a task held back is passed by others, and runs when it is let go")
    func holdBack() throws {
        let host = try TestHost(workers: 1)
        let order = Guarded<[UInt8]>([])
        try host.register { call in
            order.change { $0 += call.payload ?? [] }
            return 0
        }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let tasks = try (1...3).map { try host.launch(payload: [UInt8($0)]) }
        #expect(host.resume(tasks[0]) == .wrongState)
        #expect(host.pause(tasks[0]) == .ok)
        #expect(try host.query(tasks[0]).phase == CURFEW_TASK_PHASE_PAUSED)
        #expect(host.pause(tasks[0]) == .ok)
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(host.wait(tasks[2]) == .ok)
        #expect(order.now == [2, 3])
        #expect(try host.query(tasks[0]).phase == CURFEW_TASK_PHASE_PAUSED)
        #expect(host.resume(tasks[0]) == .ok)
        #expect(host.wait(tasks[0]) == .ok)
        #expect(order.now == [2, 3, 1])
        #expect(host.resume(tasks[0]) == .already)
        #expect(host.pause(tasks[0]) == .already)
    }

    @Test("a task let go before its turn keeps its place")
    func letGoInTime() throws {
        let host = try TestHost(workers: 1)
        let order = Guarded<[UInt8]>([])
        try host.register { call in
            order.change { $0 += call.payload ?? [] }
            return 0
        }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let tasks = try (1...3).map { try host.launch(payload: [UInt8($0)]) }
        #expect(host.pause(tasks[0]) == .ok)
        #expect(host.resume(tasks[0]) == .ok)
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(host.wait(tasks[2]) == .ok)
        #expect(order.now == [1, 2, 3])
    }

    @Test("a task let go after its turn finds no place in a full queue and stays held")
    func letGoBusy() throws {
        let host = try TestHost(workers: 1) { $0.queue_limit = 2 }
        let stuck = Stuck()
        try host.register(run: stuck.run())
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let held = try host.launch()
        let running = try host.launch()
        #expect(host.pause(held) == .ok)
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(stuck.entered.wait())
        #expect(try host.query(running).phase == CURFEW_TASK_PHASE_RUNNING)
        _ = try host.launch()
        let last = try host.launch()
        #expect(host.resume(held) == .busy)
        #expect(try host.query(held).phase == CURFEW_TASK_PHASE_PAUSED)
        stuck.go.send(4)
        #expect(host.wait(last) == .ok)
        #expect(host.resume(held) == .ok)
        #expect(host.wait(held) == .ok)
    }

    @Test("a held task can be cancelled, before and after its turn", arguments: [false, true])
    func cancelHeld(afterItsTurn: Bool) throws {
        let host = try TestHost(workers: 1)
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let held = try host.launch()
        let next = try host.launch()
        #expect(host.pause(held) == .ok)
        if afterItsTurn {
            _ = curfew_host_resume_handler(host.raw, nil, nil)
            #expect(host.wait(next) == .ok)
        }
        #expect(host.cancel(held) == .ok)
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(host.wait(held) == .ok)
        #expect(host.wait(next) == .ok)
        #expect(try host.query(held).outcome == CURFEW_OUTCOME_CANCELLED)
        #expect(host.release(held) == .ok)
        try host.waitUntil("stale") { host.queryAnswer(held) == .stale }
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: held).count == 1)
    }

    @Test("a running task cannot be held back")
    func holdRunning() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.pause(task) == .wrongState)
        #expect(host.resume(task) == .wrongState)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
    }

    @Test("a paused handler starts nothing, one or all")
    func pausedHandler() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        try host.register("org.example.other") { _ in 0 }
        #expect(Answer(curfew_host_pause_handler(host.raw, "org.example.none", nil)) == .notFound)
        #expect(Answer(curfew_host_resume_handler(host.raw, "org.example.none", nil)) == .notFound)
        #expect(Answer(curfew_host_pause_handler(host.raw, "org.example.tidy", nil)) == .ok)
        #expect(try host.handler().paused)
        let task = try host.launch()
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_QUEUED)
        #expect(try host.handler().queued == 1)
        #expect(Answer(curfew_host_resume_handler(host.raw, nil, nil)) == .ok)
        #expect(host.wait(task) == .ok)
        #expect(try !host.handler().paused)
    }

    @Test("every call about a task can be made from a worker, a deadline thread and the loop")
    func fromEveryThread() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run())
        _ = curfew_host_pause_handler(host.raw, "org.example.tidy", nil)
        let ask: @Sendable (TestHost) -> [Answer] = { host in
            let (launched, task) = host.tryLaunch()
            return [
                launched, host.queryAnswer(task), host.pause(task), host.resume(task),
                host.cancel(task), host.keepTask(task), host.release(task), host.release(task),
                host.queryAnswer(12_345_678),
            ]
        }
        let wanted = [Answer](repeating: .ok, count: 8) + [.stale]
        let answers = Guarded<[[Answer]]>([])
        let looped = Observer { [unowned host] event in
            if event.selector == "asker_done::" { answers.change { $0.append(ask(host)) } }
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
                return curfew_status(CURFEW_PENDING)
            })
        let task = try host.launch("org.example.asker")
        try host.waitUntilPending(task)
        #expect(host.cancel(task) == .ok)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.now == [wanted, wanted, wanted])
    }

    @Test(
        "waiting is refused on a worker and a deadline thread, and turns the loop on the loop's thread"
    )
    func waitThreads() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register { _ in 0 }
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
                return curfew_status(CURFEW_PENDING)
            })
        let task = try host.launch("org.example.asker")
        try host.waitUntilPending(task)
        _ = host.cancel(task)
        #expect(answers.wait { $0.count == 3 })
        #expect(answers.now == [.wrongThread, .wrongThread, .ok])
    }

    @Test("a wait ends with TIMED_OUT while the task goes on, and fills in its state")
    func waitTimesOut() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
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
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let waiters = (0..<40).map { _ in Side { host.wait(task) } }
        #expect(host.call(task).complete() == .ok)
        for waiter in waiters { #expect(waiter.join() == .ok) }
    }
}
