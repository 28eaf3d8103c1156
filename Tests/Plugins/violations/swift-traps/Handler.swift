// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Reads past the end of an array, which Swift does not allow.
struct Handler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        task.report(progress: 0, "begun")
        return [task.payload[task.payload.count]]
    }
}
