// SPDX-License-Identifier: Apache-2.0
import Curfew
import Foundation
import TestSupport
import Testing

/// In processes of their own, where every thread and descriptor is theirs.
@Suite("A host under stress")
struct StressTests {
    @Test("Whatever many threads do at once, every task ends once and nothing is left")
    func survives() async {
        await #expect(processExitsWith: .success) {
            let environment = ProcessInfo.processInfo.environment
            let seconds = environment["CURFEW_STRESS_SECONDS"].flatMap(Double.init) ?? 4
            let tasks = environment["CURFEW_STRESS_TASKS"].flatMap { Int($0) } ?? 0
            // What a process has from its first host on: what libffi and the runtime keep.
            _ = StressRun(ownLoop: false, taskLimit: 64, endsEarly: false).carryOut(seconds: 0.05)
            let before = ProcessFacts.now
            let end = ContinuousClock.now + .seconds(seconds)
            var (round, launches) = (0, 0)
            repeat {
                // In turns: who turns the loop, whether the table of tasks is mostly full, whether
                // the shutdown comes while everybody is at work, and whose time it is.
                let run = StressRun(
                    ownLoop: round % 2 == 1, taskLimit: round % 4 < 2 ? 65_536 : 48,
                    endsEarly: round % 3 > 0, ownsTime: round % 8 > 3)
                let faults = run.carryOut(seconds: min(0.6, seconds / 4))
                #expect(faults.isEmpty, "round \(round): \(faults.joined(separator: "; "))")
                #expect(run.ledger.launches > 0)
                #expect(run.ledger.completions > 0)
                let after = await eventually { ProcessFacts.now.threads == 0 }
                #expect(after, "\(before) before, \(ProcessFacts.now) after round \(round)")
                #expect(ProcessFacts.now.descriptors == before.descriptors)
                round += 1
                launches += run.ledger.launches
                if !faults.isEmpty { break }
            } while ContinuousClock.now < end || launches < tasks
        }
    }

    @Test("A thousand hosts, one after another, leave no thread, descriptor or memory behind")
    func comesAndGoes() async {
        await #expect(processExitsWith: .success) {
            func round() async throws {
                let host = try Host.forTests()
                try host.load(plugin: BuiltProducts.testPluginDirectory("chain-refresh"))
                try host.register(.tidy) { task in
                    if task.payload.isEmpty { throw CancellationError() }
                }
                let events = try host.events(named: "tidy_done::")
                for payload in [[], [UInt8](repeating: 1, count: 1_000)] {
                    _ = await (try host.launch("org.example.tidy", payload: payload)).result.outcome
                }
                let task = try host.launch("com.yourcompany.apprefresh")
                #expect(await task.result.outcome == .succeeded)
                try host.shutDown()
                var seen = 0
                for await _ in events { seen += 1 }
                #expect(seen == 2)
            }
            for _ in 0..<20 { try await round() }
            let before = ProcessFacts.now
            for _ in 0..<1_000 { try await round() }
            let gone = await eventually { ProcessFacts.now.threads == 0 }
            let after = ProcessFacts.now
            #expect(gone, "\(before) before, \(after) after")
            #expect(after.descriptors == before.descriptors)
            // A host that stayed would be megabytes; what the allocator holds back is less.
            if !ProcessFacts.isSanitized {
                #expect(
                    after.resident < before.resident + 2_048, "\(before) before, \(after) after")
            }
        }
    }
}
