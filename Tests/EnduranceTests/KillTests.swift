// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("A host that is killed", .timeLimit(.minutes(60)))
struct KillTests {
    /// Of so many rounds each store is made anew, so that a look at it stays short.
    private static let roundsOfAStore = 50

    @Test("at any moment, again and again, loses and doubles nothing, and starts within 2 s")
    func random() throws {
        // Killed where the clock happens to be: no seed would bring the same moment back.
        var chance = SystemRandomNumberGenerator()
        var left = Torture.kills
        var (startUps, acknowledged, total): ([Duration], Int, [String: Int]) = ([], 0, [:])
        let began = ContinuousClock.now
        while left > 0 {
            let trial = try StoreTrial()
            for round in 0..<min(left, Self.roundsOfAStore) {
                let again = trial.unanswered.sorted().prefix(20).joined(separator: ",")
                let harness = try trial.start(
                    "run",
                    ["--name", "r\(round)", "--count", "30"]
                        + (again.isEmpty ? [] : ["--again", again]))
                try harness.wait(for: "ack")
                harness.follow(
                    until: .now + .microseconds(Int.random(in: 0...80_000, using: &chance)))
                harness.signal(SIGKILL)
                #expect(trial.finish(harness) == .signalled(SIGKILL))
            }
            left -= Self.roundsOfAStore
            let faults = try trial.faults()
            #expect(faults.count == 0, "\(faults.count): \(faults.prefix(20))")
            startUps += trial.startUps
            acknowledged += trial.records.count { $0.kind == "ack" }
            total.merge(try StoreContents(of: trial.store).counts, uniquingKeysWith: +)
        }
        startUps.sort()
        let (median, slowest) = (startUps[startUps.count / 2], startUps[startUps.count - 1])
        Torture.tell(
            "\(Torture.kills) kills in \((ContinuousClock.now - began).milliseconds): \(acknowledged) acknowledged, \(total.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")); start-up \(median.milliseconds) in the middle, \(slowest.milliseconds) at most"
        )
        // Of fifty one may start while the machine does something else.
        #expect((Torture.isWanted ? slowest : median) < .seconds(2))
    }
}
