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

    @Test("a handler that has lost all the workers it may is refused with that limit's name")
    func lostLimit() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck, lostLimit: 1)
        _ = try lose(stuck, in: host)
        func check() {
            var error = curfew_error.empty
            let status = curfew_host_launch(host.raw, "org.example.tidy", nil, nil, &error)
            #expect(Answer(status) == .exhausted)
            #expect(error.text.contains("1 of its workers are lost, the most that lost_limit"))
        }
        check()
        #expect(Answer(curfew_host_release_handler(host.raw, "org.example.tidy", nil)) == .ok)
        check()
        stuck.go.send()
    }

    @Test("the log is silent once a host is destroyed, also when a lost worker comes back")
    func silentLog() throws {
        let stuck = Stuck()
        let host = try makeHost(stuck)
        _ = try lose(stuck, in: host)
        #expect(host.destroy(leave: .millisecond) == .timedOut)
        let lines = host.log.value
        stuck.go.send()
        try host.waitUntil("alone") { ProcessFacts.now.threads == 0 }
        #expect(host.log.value == lines)
    }
}
