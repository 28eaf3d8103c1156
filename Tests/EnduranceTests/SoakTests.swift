// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("A host that has been at it for long", .timeLimit(.minutes(30)))
struct SoakTests {
    @Test("has no more memory after hours' worth of requests than after the first")
    func memory() throws {
        // One request a second, an hour each round.
        let (rounds, count) = Torture.isWanted ? (8, 3_600) : (4, 250)
        let trial = try StoreTrial()
        let harness = try trial.start("serve")
        try harness.wait(for: "ready")
        var sizes: [Int] = []
        for round in 0..<rounds {
            harness.order("time \(count) \(round * count)")
            try harness.wait(for: "timed")
            // The last ones: first in, first out, with four places.
            for number in 1...4 {
                try harness.waitForEnd(of: "timed.\((round + 1) * count - number)")
            }
            harness.order("memory")
            sizes.append(Int(try harness.wait(for: "memory")[0]) ?? 0)
        }
        harness.order("stop")
        #expect(trial.finish(harness) == .exited(0))
        Torture.tell("\(rounds) times \(count) requests leave \(sizes) KiB of memory")
        // The first round fills caches and starts workers.
        #expect(sizes[rounds - 1] - sizes[1] < 1_024, "\(sizes)")
    }
}
