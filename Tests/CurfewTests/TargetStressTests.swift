// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Runner
import TestSupport
import Testing

/// Many threads at one target, on the host's own thread and in real time.
@Suite("Targets under many threads", .timeLimit(.minutes(5)))
struct TargetStressTests {
    private static let parties = 4
    private static let rounds = 300

    @Test("Each event that many threads post calls the sub or ends a wait, once")
    func posts() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let called = Guarded(0)
        let resumed = Guarded(0)
        try target.sub("x:") { _, _ in called.change { $0 += 1 } }
        await withTaskGroup(of: Void.self) { group in
            for party in 0..<Self.parties {
                group.addTask {
                    for round in 0..<Self.rounds {
                        try? target.raiseUIEvent("x:", .int64(Int64(round)))
                        guard round % 4 == party else { continue }
                        // Others take its place, or nothing comes any more.
                        let waited = try? await target.waitFor("x:", within: .milliseconds(2))
                        if waited != nil { resumed.change { $0 += 1 } }
                    }
                }
            }
        }
        let all = UInt64(Self.parties * Self.rounds)
        #expect(await eventually { target.counts.called + target.counts.resumed == all })
        // A target counts a call before the sub has run.
        #expect(await eventually { called.value == Int(target.counts.called) })
        #expect(resumed.value == Int(target.counts.resumed))
        #expect(target.counts.untaken == 0)
    }

    @Test("A shutdown in the middle ends every wait, sleep and resumable sub")
    func shutdown() async throws {
        for _ in 0..<5 {
            let host = try Host.forTests()
            let target = try Target("main", in: host, takesHostEvents: true)
            try host.register(.tidy) { _ in }
            let rounds = Guarded(0)
            let parties = (0..<Self.parties).map { party in
                Task {
                    while true {
                        let sub = try target.resumable {
                            try await target.sleep(milliseconds: 0)
                            if party == 0 { try host.launch("org.example.tidy") }
                            try await target.waitFor("tidy_done::", within: .milliseconds(1))
                        }
                        do { try await sub.complete() } catch let error as CurfewError {
                            // Or the sub had completed before this thread waited for that.
                            guard [.timedOut, .already].contains(error.code) else { throw error }
                        } catch is CancellationError {}
                        rounds.change { $0 += 1 }
                    }
                }
            }
            #expect(await eventually { rounds.value > 20 })
            try host.shutDown()
            for party in parties {
                guard case .failure(let error) = await party.result else { continue }
                // Or the sub had completed before anybody waited for that.
                let code = (error as? CurfewError)?.code
                #expect(code == .closing || code == .already, "\(error)")
            }
        }
    }

    @Test("Targets that are made and dropped while events come leave nothing behind")
    func dropping() async throws {
        let host = try Host.forTests()
        try host.register(.tidy) { _ in }
        let kept = try Target("kept", in: host)
        let each = 50
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.parties {
                group.addTask {
                    for _ in 0..<each {
                        let target = try? Target("main", in: host, takesHostEvents: true)
                        try? target?.sub("tidy_done::") { target, _ in
                            try target.raiseUIEvent("x")
                        }
                        _ = try? host.launch("org.example.tidy")
                        let waiting = Task { [target] in try await target?.waitFor("x") }
                        waiting.cancel()
                        _ = await waiting.result
                    }
                }
            }
        }
        // The host numbers its targets from 1.
        let made = 2...UInt64(Self.parties * each + 1)
        #expect(host.runtime.targets[1] != nil)
        #expect(await eventually { made.allSatisfy { host.runtime.targets[$0] == nil } })
        #expect(host.counts.launched == made.count)
        kept.close()
        try host.shutDown()
        #expect(host.counts.ended.values.reduce(0, +) == made.count)
    }
}
