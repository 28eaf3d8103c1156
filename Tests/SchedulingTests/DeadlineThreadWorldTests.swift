// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("Deadline threads among workers and callbacks that block")
struct DeadlineThreadWorldTests {
    @Test("in every order of events some thread watches each deadline")
    func nothingIsHidden() {
        var actions: Set<String> = []
        var wakeups = 0
        for seed in 0..<24 as Range<UInt64> {
            let world = explore(seed)
            actions.formUnion(world.actions)
            wakeups += world.wakeups
        }
        #expect(actions == ["none", "wake", "start", "refused", "exhausted"])
        #expect(wakeups > 1_000)
    }

    private func explore(_ seed: UInt64) -> DeadlineThreadWorld {
        var random = SeededGenerator(seed: seed)
        let limit = 2 + Int(seed % 5)
        var world = DeadlineThreadWorld(
            limit: limit, watchers: min(limit, 1 + Int(seed % 3)), stagger: seed % 4)
        var now: UInt64 = 1
        // Callbacks block for a long time in some runs, hardly at all in others.
        let timeout = [1, 5, 20, 100][Int(seed % 4)]
        for step in 0..<10_000 {
            // Mostly the watchers: between two events they often come to rest.
            switch UInt8.random(in: 0..<100, using: &random) {
            case 0...3: world.arm(now + 1 + random.magnitude(upTo: 500))
            case 4:
                if let deadline = world.armed.sorted().randomElement(using: &random) {
                    world.disarm(deadline)
                }
            case 5: world.isStartRefused = seed % 3 == 0 && Bool.random(using: &random)
            case 6...8: now += UInt64.random(in: 0...20, using: &random)
            default:
                let watcher = Int.random(in: 0..<world.stations.count, using: &random)
                if world.stations[watcher] == .inCallback,
                    Int.random(in: 0..<timeout, using: &random) > 0
                {
                    continue
                }
                world.step(watcher, now: now)
            }
            if let deadline = world.hidden {
                Issue.record("seed \(seed), step \(step): \(deadline) in \(world.stations)")
                return world
            }
            if let watcher = world.disagreement {
                Issue.record("seed \(seed), step \(step): \(watcher) in \(world.stations)")
                return world
            }
        }
        return world
    }

    @Test("when all callbacks return, everybody comes to rest and every deadline was dealt with")
    func everythingSettles() {
        var random = SeededGenerator(seed: 99)
        var world = DeadlineThreadWorld(limit: 4, watchers: 2)
        for round in 0..<500 as Range<UInt64> {
            let now = round * 100
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                world.arm(now + UInt64.random(in: 0...150, using: &random))
            }
            for _ in 0..<400 {
                world.step(
                    Int.random(in: 0..<world.stations.count, using: &random), now: now + 99)
            }
            #expect(world.armed.allSatisfy { $0 > now + 99 })
            #expect(world.postponed == 0)
            #expect(world.roster.posts.count <= 4)
        }
    }
}
