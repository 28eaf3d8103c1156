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
            // It would wait for a reader.
            witness.follow(until: .now)
        }
        witness.signal(SIGKILL)
        #expect(trial.finish(witness) == .signalled(SIGKILL))
        let faults = try trial.faults()
        #expect(faults.count == 0, "\(faults.count): \(faults.prefix(20))")
        Torture.tell(
            "\(2 * rounds) kills of hosts that share a store: \(trial.records.count { $0.kind == "ack" }) acknowledged, \(try StoreContents(of: trial.store).counts)"
        )
    }
}
