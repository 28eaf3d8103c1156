// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The queue of a handler, by the engine of a host whose handler is paused.
@Suite("The queue of a handler")
struct HandlerQueueTests {
    @Test("first in, first out; a full queue refuses; what was taken makes room")
    func order() throws {
        let host = try TestHost { $0.queueLimit = 4 }
        try host.register { _ in .ok }
        let queue = try host.handler().queue
        _ = host.engine.pause(nil)
        let tasks = (0..<4).map { _ in host.engine.launch(0) }
        #expect(tasks.map(\.status) == [.ok, .ok, .ok, .ok])
        #expect(host.engine.launch(0).status == .busy)
        #expect(queue.length == 4)
        #expect(queue.waitingTasks().map(host.engine.tasks.publicID) == tasks.map(\.task))
        _ = host.engine.cancel(tasks[0].task)
        // A cancelled task at the front of a paused queue leaves it at once.
        #expect(queue.length == 3)
        #expect(host.engine.launch(0).status == .ok)
    }

    @Test("cancelled tasks leave the middle of a queue when their turn comes")
    func middle() throws {
        let host = try TestHost { $0.queueLimit = 4 }
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        let tasks = (0..<3).map { _ in host.engine.launch(0).task }
        _ = host.engine.cancel(tasks[1])
        #expect(try host.handler().queue.length == 3)
        _ = host.engine.cancel(tasks[0])
        #expect(try host.handler().queue.length == 1)
        #expect(host.engine.query(tasks[2])?.phase == .queued)
    }

    @Test("an id is never used again")
    func ids() throws {
        let host = try TestHost { $0.queueLimit = 2 }
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        var seen: Set<UInt64> = []
        for _ in 0..<1_000 {
            let task = host.engine.launch(0).task
            #expect(seen.insert(task).inserted)
            _ = host.engine.cancel(task)
            #expect(host.engine.isOver(task))
        }
    }
}
