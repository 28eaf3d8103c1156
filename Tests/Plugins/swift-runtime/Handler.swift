// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Dispatch

/// Does what it should, with all of the Swift runtime that outlives a task: threads of the global
/// pool at every priority, and what is behind its timers.
struct Handler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        if task.payload.elementsEqual("slow".utf8) {
            while !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
            throw CancellationError()
        }
        var sum = 0
        for priority in [TaskPriority.high, .medium, .utility, .background] {
            sum += await Task.detached(priority: priority) { (1...100).reduce(0, +) }.value
        }
        try await Task.sleep(for: .milliseconds(2))
        let classes = [DispatchQoS.QoSClass.userInteractive, .userInitiated, .utility, .background]
        for qos in classes {
            sum += await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: qos).asyncAfter(deadline: .now() + .milliseconds(1)) {
                    continuation.resume(returning: 50)
                }
            }
        }
        return Array("\(sum)".utf8)
    }
}
