// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The ladder when a thread does not come back.
@Suite("Lost workers")
struct LostWorkerTests {
    /// A host with one worker, whose handler gets stuck with payload [1].
    private func makeHost(_ stuck: Stuck, lostLimit: UInt32 = 2) throws -> TestHost {
        let host = try TestHost(workers: 1) {
            $0.lostLimit = lostLimit
            $0.lostAfter = .second
        }
        try host.register { call in
            guard call.payload == [1] else { return .ok }
            stuck.entered.send()
            _ = stuck.go.wait()
            return .ok
        }
        return host
    }

    /// Launches a task that gets stuck and lets its budget, grace and the second limit pass.
    private func lose(_ stuck: Stuck, in host: TestHost) throws -> UInt64 {
        let task = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 3 * .second)
        return task
    }

    @Test("a worker is lost after the second limit, and not before")
    func limit() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let task = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 3 * .second - 1)
        #expect(try host.query(task).outcome == .expired)
        #expect(try !host.handler().isQuarantined)
        #expect(host.counts.lostWorkers == 0)
        _ = host.clock?.advance(by: 1)
        #expect(try host.handler().isQuarantined)
        #expect(try host.handler().lost == 1)
        #expect(host.counts.lostWorkers == 1)
        #expect(host.counts.contractViolations == 1)
        stuck.go.send()
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task).count == 1)
    }

    @Test("tasks that wait while their handler is quarantined run once it is released")
    func queuedBehindQuarantine() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let lost = try host.launch(payload: [1])
        let waiting = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 3 * .second)
        #expect(try host.query(lost).phase == .over)
        #expect(try host.query(waiting).phase == .queued)
        _ = host.release()
        #expect(host.wait(waiting) == .ok)
        #expect(try host.query(waiting).outcome == .succeeded)
        stuck.go.send()
    }

    @Test("tasks behind a lost worker end as interrupted where the embedder wants that")
    func interruptedBehindQuarantine() throws {
        let stuck = Stuck()
        let host = try TestHost(workers: 1) {
            $0.lostAfter = .second
            $0.interruptsQuarantined = true
        }
        try host.register { call in
            guard call.payload == [1] else { return .ok }
            stuck.entered.send()
            _ = stuck.go.wait()
            return .ok
        }
        _ = try host.launch(payload: [1])
        let waiting = try (0..<3).map { _ in try host.launch() }
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 3 * .second)
        for task in waiting {
            #expect(try host.query(task).outcome == .interrupted)
            #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        }
        #expect(host.tryLaunch().status == .quarantined)
        _ = host.release()
        #expect(host.wait(try host.launch()) == .ok)
        stuck.go.send()
    }

    @Test("another worker takes a lost one's place")
    func replacement() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        try host.register("org.example.other") { _ in .ok }
        let waiting = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        let other = try host.launch("org.example.other")
        #expect(try host.query(other).phase == .queued)
        _ = host.clock?.advance(by: 3 * .second)
        #expect(host.wait(other) == .ok)
        #expect(try host.query(waiting).outcome == .expired)
        stuck.go.send()
    }

    @Test("at its limit of lost workers a handler is EXHAUSTED, released or not")
    func exhausted() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        for _ in 0..<2 {
            #expect(host.release() == .ok)
            _ = try lose(stuck, in: host)
        }
        #expect(try host.handler().lost == 2)
        #expect(host.tryLaunch().status == .exhausted)
        _ = host.release()
        #expect(host.tryLaunch().status == .exhausted)
        stuck.go.send(2)
        try host.waitUntil("back") { host.counts.lostWorkers == 0 }
        #expect(try host.handler().lost == 0)
        _ = host.release()
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("a lost worker that comes back is counted out; the quarantine stays until it is released")
    func comesBack() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let task = try lose(stuck, in: host)
        stuck.go.send()
        try host.waitUntil("back") { host.counts.lostWorkers == 0 }
        #expect(try host.handler().lost == 0)
        #expect(try host.query(task).isReturned)
        #expect(host.tryLaunch().status == .quarantined)
        _ = host.release()
        #expect(host.wait(try host.launch()) == .ok)
        #expect(try host.handler().active <= 1)
        #expect(host.counts.workers <= 1)
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task).count == 1)
    }

    @Test("a task that returned between the grace and the second limit loses no worker")
    func backInTime() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let task = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 2 * .second)
        #expect(try host.query(task).outcome == .expired)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).isReturned }
        _ = host.clock?.advance(by: 10 * .second)
        #expect(try host.handler().lost == 0)
        #expect(try !host.handler().isQuarantined)
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("a function that has completed its task and never returns is lost all the same")
    func completedAndStuck() throws {
        let host = try TestHost(clock: ManualClock(returnTime: 20 * .millisecond), workers: 1) {
            $0.lostAfter = .second
        }
        let stuck = Stuck()
        try host.register { call in
            _ = call.complete()
            stuck.entered.send()
            _ = stuck.go.wait()
            return .ok
        }
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .succeeded)
        _ = host.clock?.advance(by: 60 * .second)
        #expect(try host.handler().lost == 1)
        #expect(host.tryLaunch().status == .quarantined)
        stuck.go.send()
    }

    @Test("a task answered by its expiration callback, whose function stays away, loses its worker")
    func answeredAndStuck() throws {
        let host = try TestHost(clock: ManualClock(returnTime: 20 * .millisecond), workers: 1) {
            $0.lostAfter = .second
        }
        let stuck = Stuck()
        try host.register(
            expired: { call, _ in _ = call.complete() },
            run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: .second)
        #expect(
            try Ending(of: task, in: host)
                == Ending(
                    .expired, reason: .budget, answered: true,
                    text: Ending.expiredText))
        _ = host.clock?.advance(by: 2 * .second - 1)
        #expect(try host.handler().lost == 0)
        _ = host.clock?.advance(by: 1)
        #expect(try host.handler().lost == 1)
        #expect(host.tryLaunch().status == .quarantined)
        stuck.go.send()
    }

    @Test("a second limit of all the time there is means never")
    func never() throws {
        let host = try TestHost(workers: 2) { $0.lostAfter = .max }
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in .ok })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        _ = host.clock?.advance(by: 86_400 * .second)
        #expect(try host.query(task).outcome == .expired)
        #expect(try host.handler().lost == 0)
        stuck.go.send()
    }

    @Test("a log function that blocks when a worker is lost hides no deadline")
    func blockedLog() throws {
        let (stuck, log) = (Stuck(), Stuck())
        let host = try TestHost(clock: nil, workers: 2) { config in
            config.lostAfter = .millisecond
            config.log = { _, _, _, _ in log.block() }
        }
        try host.register(budget: .millisecond, grace: .millisecond, run: stuck.run { _ in .ok })
        _ = try host.launch()
        #expect(stuck.entered.wait())
        #expect(log.entered.wait())
        // From here on both of the first deadline threads may be at it, one inside the log function.
        let told = Signal()
        try host.register(
            "org.example.patient", budget: .millisecond, expired: { _, _ in told.send() }
        ) { _ in .pending }
        for _ in 0..<8 { _ = try host.launch("org.example.patient") }
        for _ in 0..<8 { #expect(told.wait()) }
        log.go.send(8)
        stuck.go.send()
    }
}
