// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Days of requests, from seeds")
struct RequestWorldTests {
    @Test("nothing acknowledged is lost, doubled, early or against a factor", arguments: 1...30)
    func promises(_ seed: Int) {
        var world = RequestWorld(seed: UInt64(seed))
        world.play(800)
        world.drain()
        #expect(world.faults.isEmpty)
    }

    @Test("the same seed gives the same history, another seed another one")
    func repeatable() {
        func history(_ seed: UInt64) -> [JournalEntry] {
            var world = RequestWorld(seed: seed)
            world.play(1_000)
            return world.history
        }
        let first = history(7)
        #expect(first == history(7))
        #expect(first != history(8))
        // By its numbers nothing is missing.
        #expect(first.map(\.sequence) == Array(1...UInt64(first.count)))
    }

    @Test("every way of a request is gone")
    func everyWay() {
        var counts: [String: Int] = [:]
        for seed in 31...40 {
            var world = RequestWorld(seed: UInt64(seed))
            world.play(2_000)
            counts.merge(world.counts, uniquingKeysWith: +)
            for entry in world.history { counts[entry.what.name, default: 0] += 1 }
        }
        for way in [
            "submitted", "duplicate pending", "duplicate key", "too many", "key taken", "replaced",
            "cancelled",
            "cancelled while running", "launched", "ended", "stopped", "failed commits",
            "backed-off", "snoozed", "repeated", "dates-skipped", "missed", "parked", "released",
            "finished", "interrupted", "clock set", "boots", "held",
        ] {
            #expect(counts[way, default: 0] > 0, "\(way) never happened")
        }
    }
}
