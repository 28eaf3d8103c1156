// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Synchronization

/// Is `async` by name, and computes for ever without giving way once.
struct Handler: TaskHandler {
    private static let turns = Atomic<UInt64>(0)

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        task.report(progress: 0, "begun")
        while Self.turns.wrappingAdd(1, ordering: .relaxed).oldValue < .max {}
        return []
    }
}
