// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import FoundationBackground

/// The tasks that were handed to the app and are not over, without holding them.
final class RunningTasks: Sendable {
    private struct Entry {
        weak var task: BGTask?
        /// The app runs because of it.
        var isAwake = true
    }

    private let entries = Locked<[UInt64: Entry]>([:])

    func note(_ task: BGTask) {
        entries.withLock { $0[task.launch.task] = Entry(task: task) }
        ProcessAssertions.shared.wake()
    }

    /// It is over.
    func forget(_ id: UInt64) {
        let entry = entries.withLock { $0.removeValue(forKey: id) }
        if entry?.isAwake == true { ProcessAssertions.shared.rest() }
    }

    /// Its time is over: the app does not run because of it any more.
    func rest(_ id: UInt64) {
        let wasAwake = entries.withLock { entries -> Bool in
            defer { entries[id]?.isAwake = false }
            return entries[id]?.isAwake == true
        }
        if wasAwake { ProcessAssertions.shared.rest() }
    }

    /// The task of an identifier that has no expiration handler; nil: there is none.
    func unprepared(_ identifier: String) -> BGTask? {
        entries.withLock { $0.values.compactMap(\.task) }
            .first { $0.identifier == identifier && $0.expirationHandler == nil }
    }

    /// Returns a task; nil if it is over, or was not delivered yet.
    func find(_ id: UInt64) -> BGTask? { entries.withLock { $0[id]?.task } }
}
