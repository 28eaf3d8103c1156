// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import Testing

@testable import Runner

/// The queue of a handler, by the engine of a host whose handler is paused.
@Suite("The queue of a handler")
struct HandlerQueueTests {
    @Test("first in, first out; a full queue refuses; what was taken makes room")
    func order() throws {
        let engine = try TestEngine(queueLimit: 4)
        defer { engine.end() }
        let queue = engine.handler.queue
        _ = engine.engine.pause(nil)
        let tasks = (0..<4).map { _ in engine.engine.launch(0) }
        #expect(tasks.map(\.status) == [.ok, .ok, .ok, .ok])
        #expect(engine.engine.launch(0).status == .busy)
        #expect(queue.length == 4)
        #expect(queue.waitingTasks().map(engine.engine.tasks.publicID) == tasks.map(\.task))
        _ = engine.engine.cancel(tasks[0].task)
        // A cancelled task at the front of a paused queue leaves it at once.
        #expect(queue.length == 3)
        #expect(engine.engine.launch(0).status == .ok)
    }

    @Test("cancelled tasks leave the middle of a queue when their turn comes")
    func middle() throws {
        let engine = try TestEngine(queueLimit: 4)
        defer { engine.end() }
        _ = engine.engine.pause(nil)
        let tasks = (0..<3).map { _ in engine.engine.launch(0).task }
        _ = engine.engine.cancel(tasks[1])
        #expect(engine.handler.queue.length == 3)
        _ = engine.engine.cancel(tasks[0])
        #expect(engine.handler.queue.length == 1)
        #expect(engine.engine.query(tasks[2])?.phase == .queued)
    }

    @Test("an id is never used again")
    func ids() throws {
        let engine = try TestEngine(queueLimit: 2)
        defer { engine.end() }
        _ = engine.engine.pause(nil)
        var seen: Set<UInt64> = []
        for _ in 0..<1_000 {
            let task = engine.engine.launch(0).task
            #expect(seen.insert(task).inserted)
            _ = engine.engine.cancel(task)
            #expect(engine.engine.isOver(task))
        }
    }
}
