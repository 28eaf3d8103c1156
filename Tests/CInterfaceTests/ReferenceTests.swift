// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// What keeps a task, its id and its payload.
@Suite("References and the place of a task")
struct ReferenceTests {
    @Test("keep and release are extra; PENDING leaves one reference, which complete drops")
    func extraReferences() throws {
        let host = try TestHost()
        try host.register { call in
            _ = call.keep()
            return curfew_status(CURFEW_PENDING)
        }
        let task = try host.launch(keep: false, payload: [1, 2, 3])
        try host.waitUntilPending(task)
        let call = host.call(task)
        #expect(call.keep() == .ok)
        #expect(call.complete() == .ok)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(call.payload == [1, 2, 3])
        #expect(call.release() == .ok)
        #expect(call.payload == [1, 2, 3])
        #expect(call.complete() == .already)
        #expect(call.release() == .ok)
        try host.waitUntil("stale") { host.queryAnswer(task) == .stale }
        #expect(call.payload == nil)
        #expect(call.release() == .stale)
    }

    @Test("releasing an extra reference of a pending task does not abandon it")
    func releaseExtra() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let call = host.call(task)
        #expect(call.keep() == .ok)
        #expect(call.release() == .ok)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_PENDING)
        #expect(call.complete() == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED)
    }

    @Test("the payload stays readable until the last reference, the launcher's, goes")
    func payloadOfKeptTask() throws {
        let host = try TestHost()
        let seen = Guarded<[UInt8]?>(nil)
        try host.register { call in
            seen.change { $0 = call.payload }
            return 0
        }
        let task = try host.launch(payload: Array("payload".utf8))
        #expect(host.wait(task) == .ok)
        #expect(seen.now == Array("payload".utf8))
        #expect(host.call(task).payload == Array("payload".utf8))
        #expect(host.release(task) == .ok)
        try host.waitUntil("stale") { host.queryAnswer(task) == .stale }
        #expect(host.call(task).payload == nil)
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

    @Test("a plugin can take 60 references, an embedder 30; the next is EXHAUSTED")
    func limits() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch(keep: false)
        try host.waitUntilPending(task)
        let call = host.call(task)
        for _ in 0..<60 { #expect(call.keep() == .ok) }
        #expect(call.keep() == .exhausted)
        for _ in 0..<30 { #expect(host.keepTask(task) == .ok) }
        #expect(host.keepTask(task) == .exhausted)
        for _ in 0..<30 { #expect(host.release(task) == .ok) }
        #expect(host.release(task) == .wrongState)
        for _ in 0..<60 { #expect(call.release() == .ok) }
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_PENDING)
        #expect(call.complete() == .ok)
    }

    @Test("waiting works for a task of which the embedder holds all references it can")
    func waitWithAllReferences() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let task = try host.launch()
        for _ in 0..<29 { #expect(host.keepTask(task) == .ok) }
        #expect(host.wait(task) == .ok)
    }

    @Test("the function's own reference cannot be released")
    func releaseInside() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register { call in
            answers.change { $0 = [call.release(), call.keep(), call.release(), call.release()] }
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(answers.now == [.wrongState, .ok, .ok, .wrongState])
    }

    @Test("a queued task is nobody's in a plugin")
    func queued() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let task = try host.launch()
        let call = host.call(task)
        #expect(call.complete() == .stale)
        #expect(call.keep() == .stale)
        #expect(call.release() == .stale)
        #expect(try host.query(task).phase == CURFEW_TASK_PHASE_QUEUED)
    }

    @Test("the done event comes when completion is accepted, not when the function returns")
    func doneBeforeReturn() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register { call in
            if call.complete() == .ok { stuck.entered.send() }
            _ = stuck.go.wait()
            return 0
        }
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(task) == .ok)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(try !host.query(task).returned)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).returned }
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task).count == 1)
    }

    @Test("the handler's place stays taken until the function has returned")
    func placeUntilReturn() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let entered = Signal()
        try host.register { call in
            if call.payload == [1] {
                _ = call.complete()
                stuck.entered.send()
                _ = stuck.go.wait()
            } else {
                entered.send()
            }
            return 0
        }
        let first = try host.launch(payload: [1])
        let second = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(first) == .ok)
        #expect(try host.handler().active == 1)
        #expect(try host.query(second).phase == CURFEW_TASK_PHASE_QUEUED)
        // A handler of its own makes sure that a worker that was free would have had its turn.
        try host.register("org.example.other") { _ in 0 }
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        #expect(!entered.isSet)
        stuck.go.send()
        #expect(entered.wait())
        #expect(host.wait(second) == .ok)
    }

    @Test("the worker stays taken until the function has returned")
    func workerUntilReturn() throws {
        let host = try TestHost(workers: 1)
        let stuck = Stuck()
        let entered = Signal()
        try host.register { call in
            _ = call.complete()
            stuck.entered.send()
            _ = stuck.go.wait()
            return 0
        }
        try host.register("org.example.other") { _ in
            entered.send()
            return 0
        }
        let first = try host.launch()
        #expect(stuck.entered.wait())
        let second = try host.launch("org.example.other")
        #expect(host.wait(first) == .ok)
        #expect(try host.query(second).phase == CURFEW_TASK_PHASE_QUEUED)
        #expect(!entered.isSet)
        stuck.go.send()
        #expect(host.wait(second) == .ok)
    }

    @Test("a pending task takes neither worker nor place")
    func pendingTakesNoPlace() throws {
        let host = try TestHost(workers: 1)
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let tasks = try (0..<10).map { _ in try host.launch() }
        for task in tasks { try host.waitUntilPending(task) }
        for task in tasks.reversed() { #expect(host.call(task).complete() == .ok) }
        for task in tasks { #expect(host.wait(task) == .ok) }
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

    @Test("progress is an event, and readable outside")
    func progress() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            run: stuck.run { call in
                call.progress(0.25, "a quarter") == .ok ? 0 : curfew_status(CURFEW_FAILED)
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(try host.query(task).progress == 0)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).progress == 0.25)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.filter { $0.task == task }
        #expect(seen.map(\.selector) == ["tidy_progress::", "tidy_done::"])
        #expect(seen.first?.parameters == [.double(0.25), .text("a quarter")])
    }
}
