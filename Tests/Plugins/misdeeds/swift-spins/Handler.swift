// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Is `async` by name, and computes for ever without giving way once.
struct Handler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        task.report(progress: 0, "begun")
        var turns: UInt64 = 0
        while turns < .max { turns &+= 1 }
        return []
    }
}
