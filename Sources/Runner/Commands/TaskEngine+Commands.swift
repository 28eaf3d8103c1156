// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

extension TaskEngine {
    /// Whether the outcome of a task is decided, or the task is gone.
    func isDecided(_ id: UInt64) -> Bool {
        guard let task = tasks.find(id) else { return true }
        let state = tasks.slot(task).state
        return state.generation != task.generation || state.isClaimed
    }

    /// Counts what a task's program has used as the task's own, and keeps its end for the history.
    ///
    /// - Parameters:
    ///   - exit: its exit status, or its signal's number as a negative one.
    ///   - result: of a program that failed, too, whose task has none.
    func note(_ usage: CommandUsage, exit: Int32, result: [UInt8], of id: UInt64) {
        guard let task = tasks.find(id) else { return }
        _ = tasks.pinning(task) { slot in
            let record = tasks.record(of: slot)
            record.cpu.wrappingAdd(usage.processorTime, ordering: .relaxed)
            record.request?.kept.withLock { kept in
                kept.usage = usage
                kept.exit = exit
                result.withUnsafeBytes { kept.setResult($0) }
            }
        }
    }
}
