// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The process of a host with a store", .timeLimit(.minutes(10)))
struct ProcessTests {
    @Test("may be suspended for as long as one likes, and killed meanwhile")
    func suspended() throws {
        let trial = try StoreTrial()
        for round in 0..<2 {
            let harness = try trial.start("run", ["--name", "z\(round)", "--count", "400"])
            try harness.wait(for: "done")
            harness.signal(SIGSTOP)
            harness.follow(until: .now + .milliseconds(100))
            let pause: Duration = Torture.isWanted && round == 0 ? .seconds(60) : .milliseconds(300)
            #expect(harness.isSilent(for: pause))

            let second = try trial.start("drain")
            #expect(second.finish() == .exited(3))
            let error = second.records.first { $0.kind == "error" }
            #expect(error?[0] == "CURFEW_STORE_LOCKED")
            #expect(error?[1].contains("process number \(harness.harnessProcess)") == true)
            if round == 0 {
                harness.signal(SIGCONT)
                try harness.wait(for: "done")
                try harness.wait(for: "ack") { $0[0].hasSuffix(".399.quick") }
            }
            harness.signal(SIGKILL)
            #expect(trial.finish(harness) == .signalled(SIGKILL))
        }
        let faults = try trial.faults()
        #expect(faults.count == 0, "\(faults.prefix(5))")
    }

    @Test("may fork: its child is told that the host is not its own, and the parent goes on")
    func forked() throws {
        let trial = try StoreTrial()
        let harness = try trial.start("serve")
        try harness.wait(for: "ready")
        harness.order("submit quick c.0.0.quick")
        try harness.wait(for: "done")
        harness.order("fork")
        #expect(try harness.wait(for: "child-ended")[0] == "0")
        let refusal = harness.records.first { $0.kind == "refused" && $0[0] == "child" }
        #expect(refusal?[1] == "CURFEW_DENIED")
        #expect(refusal?[2].contains("fork") == true)
        harness.order("submit quick c.0.1.quick")
        try harness.wait(for: "done") { $0[0] == "c.0.1.quick" }
        harness.order("stop")
        #expect(trial.finish(harness) == .exited(0))
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }

    @Test("may run out of descriptors: it goes on once there are some")
    func descriptors() throws {
        let trial = try StoreTrial()
        let harness = try trial.start(
            "serve", wrapper: ["sh", "-c", "ulimit -n 40 && exec \"$@\"", "sh"])
        try harness.wait(for: "ready")
        harness.order("submit quick e.0.0.quick")
        try harness.wait(for: "done")
        try harness.perform("hog")
        for number in 1...20 {
            harness.order("submit quick e.0.\(number).quick")
            try harness.wait(for: "did")
        }
        try harness.perform("free")
        harness.order("submit quick e.1.0.quick")
        try harness.wait(for: "done") { $0[0] == "e.1.0.quick" }
        harness.order("await")
        try harness.wait(for: "ended")
        harness.order("stop")
        #expect(trial.finish(harness) == .exited(0))
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }
}
