// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite(
    "Hosts of one store that are killed", .timeLimit(.minutes(60)),
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct SharedKillTests {
    @Test("at any moment, two at a time beside a third, lose and double nothing")
    func random() throws {
        var chance = SystemRandomNumberGenerator()
        let server = try PostgresServer(syncs: true)
        let trial = try StoreTrial(at: server.url("&curfew.lease=3"))
        // It lives through all of it, and takes over from those that it sees dying.
        let witness = try trial.start("run", ["--name", "w", "--count", "30"])
        try witness.wait(for: "ack")
        let rounds = Torture.isWanted ? 200 : 10
        for round in 0..<rounds {
            let pair = try ["a", "b"].map {
                try trial.start("run", ["--name", "\($0)\(round)", "--count", "20"])
            }
            for harness in pair { try harness.wait(for: "ack") }
            for harness in pair {
                harness.follow(
                    until: .now + .microseconds(Int.random(in: 0...80_000, using: &chance)))
                harness.signal(SIGKILL)
            }
            for harness in pair { #expect(trial.finish(harness) == .signalled(SIGKILL)) }
            // With a full pipe its handlers would wait for a reader until they are told to stop.
            witness.skip()
        }
        witness.signal(SIGKILL)
        #expect(trial.finish(witness) == .signalled(SIGKILL))
        let faults = try trial.faults()
        #expect(faults.count == 0, "\(faults.count): \(faults.prefix(20))")
        Torture.tell(
            "\(2 * rounds) kills of hosts that share a store: \(trial.records.count { $0.kind == "ack" }) acknowledged, \(try StoreContents(of: trial.store).counts)"
        )
    }

    @Test("by a request park it after the third, which the last one lives to see")
    func poisoned() throws {
        let trial = try StoreTrial(at: PostgresServer.shared.url("&curfew.lease=3"))
        let options = ["--crashes", "3", "--poison"]
        let hosts = try (0..<4).map { _ in try trial.start("serve", options) }
        for host in hosts {
            try host.wait(for: "ready")
            try host.perform("pause")
        }
        hosts[0].order("submit poison x.0.0.poison")
        let id = try hosts[0].wait(for: "ack")[1]
        hosts[0].order("submit quick x.0.1.quick")
        try hosts[0].wait(for: "ack")
        for host in hosts.dropLast() {
            host.order("resume")
            try host.wait(for: "poisoned")
            #expect(trial.finish(host) == .signalled(SIGKILL))
        }
        let last = hosts[3]
        try last.perform("resume")
        var state: Record
        repeat {
            last.order("state \(id)")
            state = try last.wait(for: "state")
        } while state[1] != "parked"
        #expect(state[3] == "3")
        last.order("submit quick x.0.2.quick")
        try last.wait(for: "done") { $0[0] == "x.0.2.quick" }
        last.order("stop")
        #expect(trial.finish(last) == .exited(0))
        #expect(trial.records.count { $0.kind == "poisoned" } == 3)
        #expect(try StoreContents(of: trial.store).counts == ["parked": 1, "finished": 2])
        // The request is released once its handler is mended.
        #expect(try trial.run("drain", ["--crashes", "3", "--lift", id]) == .exited(0))
        #expect(try trial.faults() == [])
    }
}
