// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginBridge
import Scheduling
import Synchronization
import Testing

@testable import Runner

@Suite("Shutting down")
struct HostShutdownTests {
    /// A flag that threads of a test share.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    @Test("a wait for a phase ends when its condition has come true, or its time is over")
    func signal() async {
        let phase = HostPhase()
        let flag = Flag()
        async let waited = Task.detached {
            phase.wait(until: .max) { flag.isSet.load(ordering: .sequentiallyConsistent) }
        }.value
        flag.isSet.store(true, ordering: .sequentiallyConsistent)
        phase.progressed()
        #expect(await waited)
        #expect(!phase.wait(until: 1) { false })
    }

    @Test("a launch into a shutdown is refused, and leaves nothing behind")
    func refused() throws {
        let engine = try TestEngine()
        try engine.host.shutDown()
        #expect(engine.engine.launch(0).status == .closing)
        #expect(engine.handler.queue.length == 0)
        engine.end()
    }

    @Test("queued tasks are interrupted, a pending one is told to stop and answered for")
    func interrupts() throws {
        let engine = try TestEngine(observesDone: true) { _ in .pending }
        let pending = engine.engine.launch(0, Launch(keep: true)).task
        engine.awaitPending(pending)
        _ = engine.engine.pause(nil)
        let queued = engine.engine.launch(0, Launch(keep: true)).task
        var limits = ShutdownLimits()
        limits.expire = 1_000_000
        try engine.host.shutDown(limits)
        #expect(engine.engine.query(pending)?.outcome == .interrupted)
        #expect(engine.engine.query(pending)?.reason == .shutdown)
        #expect(engine.engine.query(queued)?.outcome == .interrupted)
        engine.end()
    }

    @Test("draining lets queued tasks come to their end")
    func drains() throws {
        let engine = try TestEngine(queueLimit: 1_024, observesDone: true)
        for _ in 0..<500 { _ = engine.engine.launch(0) }
        var limits = ShutdownLimits()
        limits.drain = 60_000_000_000
        try engine.host.shutDown(limits)
        #expect(engine.done.withLock { $0.count { $0.success } } == 500)
        engine.end()
    }

    @Test("a thread that shuts down beside another one has the same result")
    func sameResult() async throws {
        let release = Flag()
        let engine = try TestEngine { _ in
            while !release.isSet.load(ordering: .acquiring) { sched_yield() }
            return .ok
        }
        let task = engine.engine.launch(0, Launch(keep: true)).task
        while engine.engine.query(task)?.phase != .running { sched_yield() }
        var limits = ShutdownLimits()
        limits.expire = 1_000_000
        limits.leave = 1_000_000
        let results = await withTaskGroup(of: Status?.self) { [limits] group in
            for isFirst in [true, false] {
                group.addTask {
                    if !isFirst { while engine.engine.phase.isOpen { sched_yield() } }
                    do throws(BridgeError) {
                        try engine.host.shutDown(limits)
                        return nil
                    } catch {
                        return error.status
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [.timedOut, .timedOut])
        release.isSet.store(true, ordering: .releasing)
        engine.end()
    }

    @Test("a second thread that shuts down waits for the first")
    func twice() async throws {
        let engine = try TestEngine()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try engine.host.shutDown()
                    #expect(engine.host.isClosed)
                }
            }
            try await group.waitForAll()
        }
        engine.end()
    }
}
