// SPDX-License-Identifier: Apache-2.0
import AppHost

/// The tasks that were handed to the app and are not over, without holding them.
final class RunningTasks: Sendable {
    private struct Entry {
        weak var task: BGTask?
    }

    private let entries = AppLocked<[UInt64: Entry]>([:])

    func note(_ task: BGTask) {
        entries.withLock { $0[task.launch.task] = Entry(task: task) }
    }

    func forget(_ id: UInt64) { entries.withLock { _ = $0.removeValue(forKey: id) } }

    /// Nil: it is over, or was not handed over yet.
    func find(_ id: UInt64) -> BGTask? { entries.withLock { $0[id]?.task } }
}
