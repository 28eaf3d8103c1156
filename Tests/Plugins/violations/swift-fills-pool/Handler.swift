// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Synchronization

/// Leaves work behind that takes every thread of Swift's global pool, and never ends.
struct Handler: TaskHandler {
    private static let turns = Atomic<UInt64>(0)

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        for _ in 0..<64 {
            Task.detached {
                while Self.turns.wrappingAdd(1, ordering: .relaxed).oldValue < .max {}
            }
        }
        while Self.turns.load(ordering: .relaxed) == 0 { await Task.yield() }
        task.report(progress: 1, "begun")
        return []
    }
}
