// SPDX-License-Identifier: Apache-2.0

import CCurfew
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

@Suite("The engine of tasks")
struct TaskEngineTests {
    @Test("a pending task is completed by a thread that is no worker; the second answer is refused")
    func pending() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        #expect(host.call(task).complete() == .ok)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .succeeded)
        #expect(host.call(task).complete() == .already)
    }

    @Test("a budget that is over expires the task, and its late answer says so")
    func expiration() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        _ = host.clock?.advance(by: .second)
        #expect(try host.query(task).reason == .budget)
        #expect(host.call(task).complete() == .late)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
    }

    /// Ends a task that the test's own thread has taken. Returns whether it counted as lost.
    private func returned(
        _ task: TaskReference, _ status: Status, _ queue: HandlerQueuePointer, _ host: TestHost
    ) -> Bool {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        return host.engine.functionReturned(task, queue, status, &error, armed: true)
    }

    @Test("a thread that is no worker takes a task, runs it and ends it", arguments: [true, false])
    func otherThread(succeeds: Bool) throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let queue = try host.handler().queue
        // The only place, so that no worker comes.
        #expect(host.engine.takePlace(queue))
        let cancelled = try host.launch()
        let task = try host.launch()
        #expect(host.cancel(cancelled) == .ok)
        let taken = try #require(host.engine.takeTask(queue))
        #expect(try host.query(task).phase == .running)
        #expect(host.engine.takeTask(queue) == nil)
        #expect(host.clock?.nextDeadline != nil)
        #expect(!returned(taken, succeeds ? .ok : .failed, queue, host))
        #expect(host.clock?.nextDeadline == nil)
        host.engine.leavePlace(queue)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == (succeeds ? .succeeded : .failed))
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.events.filter(\.isDone).map(\.values[0]) == [.bool(false), .bool(succeeds)])
    }

    @Test("the budget of a task on another thread runs out, and its grace too")
    func otherThreadIsLate() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let queue = try host.handler().queue
        #expect(host.engine.takePlace(queue))
        for answersInTime in [true, false] {
            let task = try host.launch()
            let taken = try #require(host.engine.takeTask(queue))
            _ = host.clock?.advance(by: .second)
            #expect(try host.query(task).reason == .budget)
            #expect(try host.query(task).phase == .stopping)
            if !answersInTime {
                _ = host.clock?.advance(by: .second)
                #expect(host.wait(task) == .ok)
                #expect(try host.query(task).outcome == .expired)
            }
            #expect(!returned(taken, .ok, queue, host))
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == .expired)
            #expect(try host.query(task).isAnswered == answersInTime)
        }
        host.engine.leavePlace(queue)
    }

    @Test("the state of a handler is observed after every change")
    func observing() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let seen = Guarded<[Bool]>([])
        host.engine.observe { handler in seen.change { $0.append(handler.isPaused) } }
        _ = host.engine.pause("org.example.tidy")
        _ = host.engine.resume(nil)
        #expect(seen.value == [true, false])
    }
}
