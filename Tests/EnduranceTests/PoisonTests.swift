// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport
import Testing

@Suite("A request that ends every process it runs in", .timeLimit(.minutes(5)))
struct PoisonTests {
    @Test("is parked after three starts, delays no others, and is launched after its release")
    func parked() throws {
        let trial = try StoreTrial()
        let options = ["--crashes", "3", "--poison"]
        let first = try trial.start("serve", options)
        try first.wait(for: "ready")
        try first.perform("pause")
        first.order("submit poison x.0.0.poison")
        let id = try first.wait(for: "ack")[1]
        first.order("submit quick x.0.1.quick")
        try first.wait(for: "ack")
        first.order("resume")
        try first.wait(for: "poisoned")
        #expect(trial.finish(first) == .signalled(SIGKILL))
        for _ in 2...3 {
            #expect(try trial.run("drain", options) == .signalled(SIGKILL))
        }
        #expect(trial.records.count { $0.kind == "poisoned" } == 3)

        // Parked with the fourth start, and others are launched.
        let fourth = try trial.start("serve", options)
        try fourth.wait(for: "ready")
        fourth.order("state \(id)")
        let state = try fourth.wait(for: "state")
        #expect(state[1] == "parked" && state[3] == "3")
        fourth.order("submit quick x.0.2.quick")
        try fourth.wait(for: "done") { $0[0] == "x.0.2.quick" }
        fourth.order("stop")
        #expect(trial.finish(fourth) == .exited(0))
        #expect(trial.records.count { $0.kind == "poisoned" } == 3)
        let store = try StoreContents(of: trial.store)
        #expect(store.counts == ["parked": 1, "finished": 2])
        let parked = store.journal.first { $0.what == .parked }
        #expect(parked?.detail == "the process ended 3 times while its task ran")

        // Somebody has mended it, and lifts it.
        #expect(try trial.run("drain", ["--crashes", "3", "--lift", id]) == .exited(0))
        #expect(try trial.faults() == [])
        #expect(try StoreContents(of: trial.store).counts == ["finished": 3])
    }
}
