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

    /// Counts what a task's program has used as the task's own.
    func note(_ usage: CommandUsage, of id: UInt64) {
        guard let task = tasks.find(id) else { return }
        _ = tasks.pinning(task) { slot in
            tasks.record(of: slot).cpu.wrappingAdd(
                usage.processorTime, ordering: .relaxed)
        }
    }
}
