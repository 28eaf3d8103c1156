// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// The calls about tasks: their arguments, structures and statuses. `RunnerTests` tests what a task
/// does.
@Suite("Tasks in the C interface")
struct TaskTests {
    /// The status that a function returns, and the call that ends the task if that is pending.
    struct Way: Sendable {
        let outcome: Int
        var status = CURFEW_PENDING
        var text = ""
        var done: @Sendable (TestHost, curfew_task) -> Answer = { _, _ in .ok }
    }

    @Test(
        "each outcome has its constant, is counted, and stands in the done event",
        arguments: [
            Way(outcome: CURFEW_OUTCOME_SUCCEEDED, status: CURFEW_OK),
            Way(outcome: CURFEW_OUTCOME_FAILED, status: CURFEW_NOT_FOUND, text: "not found"),
            Way(outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired.") { $0.stop($1) },
            Way(outcome: CURFEW_OUTCOME_CANCELLED, text: "Background task cancelled.") {
                $0.cancel($1)
            },
            Way(outcome: CURFEW_OUTCOME_INTERRUPTED, text: "Background task interrupted.") {
                host, _ in
                host.shutDown()
            },
            Way(outcome: CURFEW_OUTCOME_ABANDONED, text: "Background task abandoned.") {
                $0.call($1).release()
            },
        ])
    func outcomes(way: Way) throws {
        let host = try TestHost()
        try host.register(
            expired: { call, _ in _ = call.complete() },
            run: { _ in curfew_status(way.status) })
        let task = try host.launch()
        if way.status == CURFEW_PENDING {
            try host.waitUntilPending(task)
            #expect(way.done(host, task) == .ok)
        }
        #expect(host.wait(task) == .ok)
        let state = try host.query(task)
        #expect(state.outcome == way.outcome)
        #expect(state.phase == CURFEW_TASK_PHASE_OVER)
        #expect(state.returned)
        #expect(state.error_bytes == way.text.utf8.count)
        #expect(host.errorText(task) == way.text)
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.dones(of: task) == [
                [.bool(way.outcome == CURFEW_OUTCOME_SUCCEEDED), .text(way.text)]
            ])
        let counts = host.counts
        #expect(counts.launched == 1)
        withUnsafeBytes(of: counts.ended) { bytes in
            let ended = bytes.bindMemory(to: UInt64.self)
            #expect(ended.indices.filter { ended[$0] != 0 } == [way.outcome])
            #expect(ended[way.outcome] == 1)
        }
    }

    @Test(
        "each reason has its constant, in the state and for the callback",
        arguments: [
            CURFEW_REASON_BUDGET, CURFEW_REASON_CONDITION, CURFEW_REASON_HOST,
            CURFEW_REASON_CANCELLED, CURFEW_REASON_SHUTDOWN,
        ])
    func reasons(reason: Int) throws {
        let host = try TestHost()
        let seen = Guarded<[curfew_reason]>([])
        try host.register(
            expired: { call, reason in
                _ = call.complete()
                seen.change { $0.append(reason) }
            },
            run: { _ in curfew_status(CURFEW_PENDING) })
        let task = try host.launch()
        try host.waitUntilPending(task)
        switch reason {
        case CURFEW_REASON_BUDGET: host.clock?.advance(.second)
        case CURFEW_REASON_CANCELLED: #expect(host.cancel(task) == .ok)
        case CURFEW_REASON_SHUTDOWN: #expect(host.shutDown() == .ok)
        default: #expect(host.stop(task, reason) == .ok)
        }
        #expect(seen.wait { $0 == [curfew_reason(reason)] })
        #expect(try host.query(task).reason == reason)
        #expect(try host.query(task).answered)
    }

    @Test("each phase has its constant, and each call about a task reaches it")
    func phases() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in curfew_status(CURFEW_PENDING) })
        #expect(Answer(curfew_host_pause_handler(host.raw, nil, nil)) == .ok)
        let task = try host.launch()
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_QUEUED)
        #expect(host.pause(task) == .ok)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_PAUSED)
        #expect(host.resume(task) == .ok)
        #expect(host.keepTask(task) == .ok)
        #expect(host.release(task) == .ok)
        #expect(Answer(curfew_host_resume_handler(host.raw, nil, nil)) == .ok)
        #expect(stuck.entered.wait())
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_RUNNING)
        #expect(try host.query(task).started_ns == .second)
        stuck.go.send()
        try host.waitUntilPending(task)
        #expect(host.wait(task, within: 0) == .timedOut)
        #expect(host.stop(task) == .ok)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_STOPPING)
        #expect(try !host.query(task).answered)
        #expect(host.call(task).complete() == .late)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_OVER)
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
            roles.value == [
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
            CURFEW_REASON_SHUTDOWN, CURFEW_REASON_LEASE, 7, 999, -1,
        ] {
            #expect(host.stop(task, reason) == .invalid)
        }
        #expect(host.cancel(task) == .ok)
        #expect(host.stop(task) == .already)
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

    @Test("an empty payload is NULL")
    func emptyPayload() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        let info = try #require(host.call(task).info)
        #expect(info.payload == nil)
        #expect(info.payload_bytes == 0)
    }

    @Test("task_info tells kind, attempt, identifier, budget and grace, the launch's own first")
    func info() throws {
        let host = try TestHost()
        try host.register(kind: CURFEW_KIND_PROCESSING, budget: 3 * .second) { _ in 0 }
        let (_, task) = host.tryLaunch(budget: 7 * .second, attempt: 4)
        #expect(host.wait(task) == .ok)
        let info = try #require(host.call(task).info)
        #expect(info.kind == CURFEW_KIND_PROCESSING)
        #expect(info.attempt == 4)
        #expect(info.reason == CURFEW_REASON_NONE)
        #expect(String(cString: info.identifier) == "org.example.tidy")
        #expect(info.budget_ns == 7 * .second)
        #expect(info.grace_ns == .second)
        let state = try host.query(task)
        #expect(state.attempt == 4)
        #expect(state.budget_ns == 7 * .second)
    }

    @Test("a result is copied, and read in part with TOO_LARGE")
    func results() throws {
        let host = try TestHost()
        try host.register { call in
            _ = call.complete(result: [1, 2, 3, 4])
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).result_bytes == 4)
        var bytes: [UInt8] = [0, 0, 0]
        var count: UInt64 = 0
        #expect(
            Answer(curfew_host_read_task_result(host.raw, task, &bytes, 2, &count, nil))
                == .tooLarge)
        #expect(bytes == [1, 2, 0])
        #expect(count == 4)
        #expect(
            Answer(curfew_host_read_task_result(host.raw, task, nil, 100, &count, nil)) == .tooLarge
        )
        #expect(count == 4)
        #expect(host.result(task) == [1, 2, 3, 4])
        #expect(host.errorText(task) == "")
    }

    @Test("results and texts cannot be read before the task is over")
    func readTooEarly() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        var count: UInt64 = 0
        #expect(
            Answer(curfew_host_read_task_result(host.raw, task, nil, 0, &count, nil)) == .wrongState
        )
        #expect(
            Answer(curfew_host_read_task_error(host.raw, task, nil, 0, &count, nil)) == .wrongState)
    }
}
