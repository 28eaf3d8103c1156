// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Dispatch
import Glibc

/// Does what it should, with all of the Swift runtime that outlives a task: threads of the global
/// pool at every priority, and what is behind its timers.
struct Handler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        if task.payload.elementsEqual("slow".utf8) {
            while !Task.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
            throw CancellationError()
        }
        if task.payload.elementsEqual("long".utf8) { try await keepBusy(for: .milliseconds(2_500)) }
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

    /// Gives the global pool more than it has threads for, so long that libdispatch, which does so once a second,
    /// looks at its threads.
    private func keepBusy(for time: Duration) async throws {
        let end = ContinuousClock.now + time
        let group = DispatchGroup()
        while ContinuousClock.now < end {
            for _ in 0..<100 { DispatchQueue.global().async(group: group) { usleep(20_000) } }
            await withCheckedContinuation { continuation in
                group.notify(queue: .global()) { continuation.resume() }
            }
        }
    }
}
