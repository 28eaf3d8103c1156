// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import Synchronization
import Testing

@testable import PluginBridge
@testable import Runner

/// A channel reader sleeps on a word that the process of a plugin can write.
@Suite("The rest of a channel reader", .timeLimit(.minutes(1)))
struct ReaderRestTests {
    /// A bell in memory that another could write, and a rest.
    private final class Place: @unchecked Sendable {
        // Sendable: atomics, and memory that is written on purpose.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
        let rest = ReaderRest()
        var bell: Bell { Bell(memory) }

        init() { memory.storeBytes(of: 0, as: UInt64.self) }
        deinit { memory.deallocate() }

        /// Rests on a thread of its own. Returns what ends when it has ended.
        func begin() -> DispatchGroup {
            let ended = DispatchGroup()
            rest.begin()
            let rings = bell.announce()
            ended.enter()
            Thread.detachNewThread {
                _ = self.rest.sleep(self.bell, since: rings, until: .max)
                ended.leave()
            }
            return ended
        }
    }

    /// Whether the kernel can wait for two words at a time, without which nobody rests.
    private static let canRest: Bool = {
        var (shared, own): (UInt32, UInt32) = (1, 1)
        return csys_shared_wait_either(&shared, 0, &own, 1, .max)
    }()

    @Test("the host ends it, whatever the process writes over the bell", .enabled(if: canRest))
    func overwritten() {
        for round in 0..<2_000 {
            let place = Place()
            let ended = place.begin()
            // Before the thread sleeps, while it does, and without any.
            if round % 3 == 0 { sched_yield() }
            let written: UInt64 = round % 2 == 0 ? 0 : UInt64.max
            place.memory.storeBytes(of: written, as: UInt64.self)
            place.rest.end()
            #expect(ended.wait(timeout: .now() + 30) == .success)
        }
    }

    @Test("the bell ends it", .enabled(if: canRest))
    func rung() {
        for _ in 0..<2_000 {
            let place = Place()
            let ended = place.begin()
            place.bell.ring()
            #expect(ended.wait(timeout: .now() + 30) == .success)
        }
    }

    @Test("one that has ended before it was slept on is none", .enabled(if: canRest))
    func early() {
        let place = Place()
        place.rest.begin()
        let rings = place.bell.announce()
        place.rest.end()
        let couldWait = place.rest.sleep(place.bell, since: rings, until: .max)
        #expect(couldWait)
    }
}
