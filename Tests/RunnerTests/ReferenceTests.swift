// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// References keep a task, its id and its payload.
@Suite("References and the place of a task")
struct ReferenceTests {
    @Test("keep and release are extra; PENDING leaves one reference, which complete drops")
    func extraReferences() throws {
        let host = try TestHost()
        try host.register { call in
            _ = call.keep()
            return .pending
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
        try host.waitUntil("stale") { host.isStale(task) }
        #expect(call.payload == nil)
        #expect(call.release() == .stale)
    }

    @Test("releasing an extra reference of a pending task does not abandon it")
    func releaseExtra() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let call = host.call(task)
        #expect(call.keep() == .ok)
        #expect(call.release() == .ok)
        #expect(try host.query(task).phase == .pending)
        #expect(call.complete() == .ok)
        #expect(try host.query(task).outcome == .succeeded)
    }

    @Test("the payload stays readable until the last reference, the launcher's, goes")
    func payloadOfKeptTask() throws {
        let host = try TestHost()
        let seen = Guarded<[UInt8]?>(nil)
        try host.register { call in
            seen.change { $0 = call.payload }
            return .ok
        }
        let task = try host.launch(payload: Array("payload".utf8))
        #expect(host.wait(task) == .ok)
        #expect(seen.value == Array("payload".utf8))
        #expect(host.call(task).payload == Array("payload".utf8))
        #expect(host.release(task) == .ok)
        try host.waitUntil("stale") { host.isStale(task) }
        #expect(host.call(task).payload == nil)
    }

    @Test("a plugin can take 60 references, an embedder 30; the next is EXHAUSTED")
    func limits() throws {
        let host = try TestHost()
        try host.register { _ in .pending }
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
        #expect(try host.query(task).phase == .pending)
        #expect(call.complete() == .ok)
    }

    @Test("waiting works for a task of which the embedder holds all references it can")
    func waitWithAllReferences() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let task = try host.launch()
        for _ in 0..<29 { #expect(host.keepTask(task) == .ok) }
        #expect(host.wait(task) == .ok)
    }

    @Test("the function's own reference cannot be released")
    func releaseInside() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        try host.register { call in
            answers.change { $0 = [call.release(), call.keep(), call.release(), call.release()] }
            return .ok
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(answers.value == [.wrongState, .ok, .ok, .wrongState])
    }

    @Test("a queued task is stale to its plugin")
    func queued() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        _ = host.engine.pause(nil)
        let task = try host.launch()
        let call = host.call(task)
        #expect(call.complete() == .stale)
        #expect(call.keep() == .stale)
        #expect(call.release() == .stale)
        #expect(try host.query(task).phase == .queued)
    }

    @Test("the done event comes when completion is accepted, not when the function returns")
    func doneBeforeReturn() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register { call in
            if call.complete() == .ok { stuck.entered.send() }
            _ = stuck.go.wait()
            return .ok
        }
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(task) == .ok)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        #expect(try !host.query(task).isReturned)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).isReturned }
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
            return .ok
        }
        let first = try host.launch(payload: [1])
        let second = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(first) == .ok)
        #expect(try host.handler().active == 1)
        #expect(try host.query(second).phase == .queued)
        // A handler of its own makes sure that a worker that was free would have had its turn.
        try host.register("org.example.other") { _ in .ok }
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
            return .ok
        }
        try host.register("org.example.other") { _ in
            entered.send()
            return .ok
        }
        let first = try host.launch()
        #expect(stuck.entered.wait())
        let second = try host.launch("org.example.other")
        #expect(host.wait(first) == .ok)
        #expect(try host.query(second).phase == .queued)
        #expect(!entered.isSet)
        stuck.go.send()
        #expect(host.wait(second) == .ok)
    }

    @Test("a pending task takes neither worker nor place")
    func pendingTakesNoPlace() throws {
        let host = try TestHost(workers: 1)
        try host.register { _ in .pending }
        let tasks = try (0..<10).map { _ in try host.launch() }
        for task in tasks { try host.waitUntilPending(task) }
        for task in tasks.reversed() { #expect(host.call(task).complete() == .ok) }
        for task in tasks { #expect(host.wait(task) == .ok) }
    }

    @Test("progress is an event, and readable outside")
    func progress() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            run: stuck.run { call in
                call.progress(0.25, "a quarter") == .ok ? .ok : .failed
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(try host.query(task).progress == 0)
        stuck.go.send()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).progress == 0.25)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.filter { $0.task == task }
        #expect(seen.map(\.name) == ["tidy_progress::", "tidy_done::"])
        #expect(seen.first?.values == [.double(0.25), .text("a quarter")])
    }
}
