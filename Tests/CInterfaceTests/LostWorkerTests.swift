// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// The ladder when a thread does not come back.
@Suite("Lost workers")
struct LostWorkerTests {
    /// A host with one worker, whose handler gets stuck with payload [1].
    private func makeHost(_ stuck: Stuck, lostLimit: UInt32 = 2) throws -> TestHost {
        let host = try TestHost(workers: 1) {
            $0.lost_limit = lostLimit
            $0.lost_after_ns = .second
        }
        try host.register { call in
            guard call.payload == [1] else { return 0 }
            stuck.entered.send()
            _ = stuck.go.wait()
            return 0
        }
        return host
    }

    /// Launches a task that gets stuck and lets its budget, grace and the second limit pass.
    private func lose(_ stuck: Stuck, in host: TestHost) throws -> curfew_task {
        let task = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        host.clock?.advance(3 * .second)
        return task
    }

    @Test("a worker is lost after the second limit, and not before")
    func limit() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let task = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        host.clock?.advance(3 * .second - 1)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
        #expect(try !host.handler().quarantined)
        #expect(host.counts.lost_workers == 0)
        host.clock?.advance(1)
        #expect(try host.handler().quarantined)
        #expect(try host.handler().lost == 1)
        #expect(host.counts.lost_workers == 1)
        #expect(host.counts.contract_violations == 1)
        stuck.go.send()
        #expect(host.shutDown() == .ok)
        #expect(host.all.dones(of: task).count == 1)
    }

    @Test("a quarantined handler is listed with its reason, refuses launches, and can be released")
    func quarantine() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        _ = try lose(stuck, in: host)
        #expect(host.tryLaunch().answer == .quarantined)
        #expect(try !String(cString: host.handler().quarantine_reason).isEmpty)
        #expect(Answer(curfew_host_release_handler(host.raw, "org.example.tidy", nil)) == .ok)
        #expect(try !host.handler().quarantined)
        #expect(try String(cString: host.handler().quarantine_reason) == "")
        #expect(host.wait(try host.launch()) == .ok)
        #expect(Answer(curfew_host_release_handler(host.raw, "org.example.tidy", nil)) == .ok)
        #expect(Answer(curfew_host_release_handler(host.raw, "org.example.none", nil)) == .notFound)
        stuck.go.send()
    }

    @Test("tasks that wait while their handler is quarantined run once it is released")
    func queuedBehindQuarantine() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let lost = try host.launch(payload: [1])
        let waiting = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(3 * .second)
        #expect(try host.query(lost).phase == CURFEW_TASK_PHASE_OVER)
        #expect(try host.query(waiting).phase == CURFEW_TASK_PHASE_QUEUED)
        _ = curfew_host_release_handler(host.raw, "org.example.tidy", nil)
        #expect(host.wait(waiting) == .ok)
        #expect(try host.query(waiting).outcome == CURFEW_OUTCOME_SUCCEEDED)
        stuck.go.send()
    }

    @Test("tasks behind a lost worker end as interrupted where the embedder wants that")
    func interruptedBehindQuarantine() throws {
        let stuck = Stuck()
        let host = try TestHost(workers: 1) {
            $0.lost_after_ns = .second
            $0.interrupt_quarantined = true
        }
        try host.register { call in
            guard call.payload == [1] else { return 0 }
            stuck.entered.send()
            _ = stuck.go.wait()
            return 0
        }
        _ = try host.launch(payload: [1])
        let waiting = try (0..<3).map { _ in try host.launch() }
        #expect(stuck.entered.wait())
        host.clock?.advance(3 * .second)
        for task in waiting {
            #expect(try host.query(task).outcome == CURFEW_OUTCOME_INTERRUPTED)
            #expect(host.all.dones(of: task) == [[.bool(false), .text(Ending.interruptedText)]])
        }
        #expect(host.tryLaunch().answer == .quarantined)
        _ = curfew_host_release_handler(host.raw, "org.example.tidy", nil)
        #expect(host.wait(try host.launch()) == .ok)
        stuck.go.send()
    }

    @Test("another worker takes a lost one's place")
    func replacement() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        try host.register("org.example.other") { _ in 0 }
        let waiting = try host.launch(payload: [1])
        #expect(stuck.entered.wait())
        let other = try host.launch("org.example.other")
        #expect(try host.query(other).phase == CURFEW_TASK_PHASE_QUEUED)
        host.clock?.advance(3 * .second)
        #expect(host.wait(other) == .ok)
        #expect(try host.query(waiting).outcome == CURFEW_OUTCOME_EXPIRED)
        stuck.go.send()
    }

    @Test("at its limit of lost workers a handler is EXHAUSTED, released or not")
    func exhausted() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        for _ in 0..<2 {
            #expect(Answer(curfew_host_release_handler(host.raw, "org.example.tidy", nil)) == .ok)
            _ = try lose(stuck, in: host)
        }
        #expect(try host.handler().lost == 2)
        #expect(host.tryLaunch().answer == .exhausted)
        _ = curfew_host_release_handler(host.raw, "org.example.tidy", nil)
        #expect(host.tryLaunch().answer == .exhausted)
        stuck.go.send(2)
        try host.waitUntil("back") { host.counts.lost_workers == 0 }
        #expect(try host.handler().lost == 0)
        _ = curfew_host_release_handler(host.raw, "org.example.tidy", nil)
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("a lost worker that comes back is counted out; the quarantine stays until it is released")
    func comesBack() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        let task = try lose(stuck, in: host)
        stuck.go.send()
        try host.waitUntil("back") { host.counts.lost_workers == 0 }
        #expect(try host.handler().lost == 0)
        #expect(try host.query(task).returned)
        #expect(host.tryLaunch().answer == .quarantined)
        _ = curfew_host_release_handler(host.raw, "org.example.tidy", nil)
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
        host.clock?.advance(2 * .second)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).returned }
        host.clock?.advance(10 * .second)
        #expect(try host.handler().lost == 0)
        #expect(try !host.handler().quarantined)
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("a function that has completed its task and never returns is lost all the same")
    func completedAndStuck() throws {
        let host = try TestHost(workers: 1) { $0.lost_after_ns = .second }
        let stuck = Stuck()
        try host.register { call in
            _ = call.complete()
            stuck.entered.send()
            _ = stuck.go.wait()
            return 0
        }
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED)
        host.clock?.advance(60 * .second)
        #expect(try host.handler().lost == 1)
        #expect(host.tryLaunch().answer == .quarantined)
        stuck.go.send()
    }

    @Test("a task answered by its expiration callback, whose function stays away, loses its worker")
    func answeredAndStuck() throws {
        let host = try TestHost(workers: 1) { $0.lost_after_ns = .second }
        let stuck = Stuck()
        try host.register(
            expired: { call, _ in _ = call.complete() },
            run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(.second)
        #expect(
            try Ending(of: task, in: host)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        host.clock?.advance(2 * .second - 1)
        #expect(try host.handler().lost == 0)
        host.clock?.advance(1)
        #expect(try host.handler().lost == 1)
        #expect(host.tryLaunch().answer == .quarantined)
        stuck.go.send()
    }

    @Test("a second limit of all the time there is means never")
    func never() throws {
        let host = try TestHost(workers: 2) { $0.lost_after_ns = .max }
        let stuck = Stuck()
        try host.register(run: stuck.run())
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(86_400 * .second)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_EXPIRED)
        #expect(try host.handler().lost == 0)
        stuck.go.send()
    }

    @Test("a log function that blocks when a worker is lost hides no deadline")
    func blockedLog() throws {
        let (stuck, log) = (Stuck(), Stuck())
        let host = try TestHost(clock: nil, workers: 2) { config in
            config.lost_after_ns = .millisecond
            config.block(logging: log)
        }
        host.keep(log)
        try host.register(budget: .millisecond, grace: .millisecond, run: stuck.run())
        _ = try host.launch()
        #expect(stuck.entered.wait())
        #expect(log.entered.wait())
        // From here on both of the first deadline threads may be at it, one inside the log function.
        let told = Signal()
        try host.register(
            "org.example.patient", budget: .millisecond, expired: { _, _ in told.send() }
        ) { _ in curfew_status(CURFEW_PENDING) }
        for _ in 0..<8 { _ = try host.launch("org.example.patient") }
        for _ in 0..<8 { #expect(told.wait()) }
        log.go.send(8)
        stuck.go.send()
    }

    @Test("the log is silent once a host is destroyed, also when a lost worker comes back")
    func silentLog() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        _ = try lose(stuck, in: host)
        #expect(host.destroy(leave: .millisecond) == .timedOut)
        let lines = host.log.now
        stuck.go.send()
        try host.waitUntil("alone") { ProcessFacts.now.threads == 0 }
        #expect(host.log.now == lines)
    }
}
