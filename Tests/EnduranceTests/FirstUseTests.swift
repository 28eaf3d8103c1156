// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("A store that is used for the first time", .timeLimit(.minutes(10)))
struct FirstUseTests {
    @Test("by two commands and a host at once lets all of them in, and loses nothing")
    func together() throws {
        for round in 0..<(Torture.isWanted ? 150 : 25) {
            let trial = try StoreTrial()
            let harnesses = try [
                trial.start("client", ["--name", "c", "--count", "2"]),
                trial.start("drain", ["--name", "h", "--count", "1", "--threads", "1"]),
                trial.start("client", ["--name", "d", "--count", "2"]),
            ]
            for harness in harnesses {
                let ending = trial.finish(harness)
                #expect(ending == .exited(0), "\(round): \(harness.records.suffix(2))")
            }
            let faults = try trial.faults()
            #expect(faults == [], "\(round)")
        }
    }
}
