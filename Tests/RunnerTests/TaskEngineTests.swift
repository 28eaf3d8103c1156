// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Runner

@Suite("The engine of tasks")
struct TaskEngineTests {
    private func kept(_ engine: TestEngine) -> UInt64 {
        engine.engine.launch(0, Launch(keep: true)).task
    }

    @Test("a function that returns success, and one that fails")
    func outcomes() throws {
        let engine = try TestEngine { _ in .ok }
        defer { engine.end() }
        #expect(engine.wait(kept(engine))?.outcome == .succeeded)
        let failing = try TestEngine { _ in .failed }
        defer { failing.end() }
        #expect(failing.wait(kept(failing))?.outcome == .failed)
    }

    @Test("a pending task is completed by a thread that is no worker; the second answer is refused")
    func pending() throws {
        let engine = try TestEngine { _ in .pending }
        defer { engine.end() }
        let task = kept(engine)
        engine.awaitPending(task)
        #expect(engine.complete(task) == .ok)
        #expect(engine.wait(task)?.outcome == .succeeded)
        #expect(engine.complete(task) == .already)
    }

    @Test("a budget that is over expires the task, and its late answer says so")
    func expiration() throws {
        let engine = try TestEngine { _ in .pending }
        defer { engine.end() }
        let task = kept(engine)
        engine.awaitPending(task)
        _ = engine.clock.advance(by: engine.handler.description.budget)
        #expect(engine.engine.query(task)?.reason == .budget)
        #expect(engine.complete(task) == .late)
        #expect(engine.wait(task)?.outcome == .expired)
    }

    @Test("a thread that is no worker takes a task, runs it and ends it", arguments: [true, false])
    func otherThread(succeeds: Bool) throws {
        let engine = try TestEngine(observesDone: true) { _ in .pending }
        defer { engine.end() }
        let queue = engine.handler.queue
        // The only place, so that no worker comes.
        #expect(engine.engine.takePlace(queue))
        let cancelled = kept(engine)
        let task = kept(engine)
        #expect(engine.engine.cancel(cancelled) == .ok)
        let taken = try #require(engine.engine.takeTask(queue))
        #expect(engine.engine.query(task)?.phase == .running)
        #expect(engine.engine.takeTask(queue) == nil)
        #expect(engine.clock.nextDeadline != nil)
        #expect(!engine.returned(taken, succeeds ? .ok : .failed))
        #expect(engine.clock.nextDeadline == nil)
        engine.engine.leavePlace(queue)
        #expect(engine.wait(task)?.outcome == (succeeds ? .succeeded : .failed))
        try engine.host.shutDown()
        #expect(engine.done.withLock { $0.map(\.success) } == [false, succeeds])
    }

    @Test("the budget of a task on another thread runs out, and its grace too")
    func otherThreadIsLate() throws {
        let engine = try TestEngine()
        defer { engine.end() }
        let queue = engine.handler.queue
        #expect(engine.engine.takePlace(queue))
        for answersInTime in [true, false] {
            let task = kept(engine)
            let taken = try #require(engine.engine.takeTask(queue))
            _ = engine.clock.advance(by: engine.handler.description.budget)
            #expect(engine.engine.query(task)?.reason == .budget)
            #expect(engine.engine.query(task)?.phase == .stopping)
            if !answersInTime {
                _ = engine.clock.advance(by: engine.handler.description.grace)
                #expect(engine.wait(task)?.outcome == .expired)
            }
            #expect(!engine.returned(taken, .ok))
            #expect(engine.wait(task)?.outcome == .expired)
            #expect(engine.wait(task)?.isAnswered == answersInTime)
        }
        engine.engine.leavePlace(queue)
    }

    @Test("a quarantine ends, and the tasks that waited run")
    func quarantine() throws {
        let engine = try TestEngine()
        defer { engine.end() }
        engine.handler.queue.pointee.gate.bitwiseOr(
            HandlerQueue.Gate.quarantined, ordering: .sequentiallyConsistent)
        #expect(engine.engine.launch(0).status == .quarantined)
        #expect(engine.host.plugins.release("org.example.work") == .ok)
        #expect(engine.wait(kept(engine))?.outcome == .succeeded)
        #expect(engine.host.plugins.release("org.example.other") == .notFound)
    }

    @Test("the state of a handler is observed after every change")
    func observing() throws {
        let engine = try TestEngine()
        defer { engine.end() }
        let seen = Locked<[Bool]>([])
        engine.engine.observe { handler in seen.withLock { $0.append(handler.isPaused) } }
        _ = engine.engine.pause("org.example.work")
        _ = engine.engine.resume(nil)
        #expect(seen.withLock { $0 } == [true, false])
    }

    @Test("each task of many threads ends once, with one done event")
    func manyThreads() async throws {
        let engine = try TestEngine(
            queueLimit: 1_024, maxConcurrency: 4, observesDone: true
        ) { $0 % 3 == 0 ? .failed : .ok }
        defer { engine.end() }
        let threads = 4
        let each = 2_000
        let launched = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<threads {
                group.addTask {
                    var tasks: [UInt64] = []
                    while tasks.count < each {
                        let launched = engine.engine.launch(0)
                        if launched.status == .ok { tasks.append(launched.task) }
                    }
                    return tasks
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        try engine.host.shutDown(
            {
                var limits = ShutdownLimits()
                limits.drain = 60_000_000_000
                return limits
            }())
        let done = engine.done.withLock { $0 }
        #expect(done.count == launched.count)
        #expect(Set(done.map(\.task)) == Set(launched))
        #expect(done.allSatisfy { $0.success == ($0.task % 3 != 0) })
    }
}
