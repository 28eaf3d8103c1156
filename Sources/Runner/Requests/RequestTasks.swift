// SPDX-License-Identifier: Apache-2.0
import CurfewValues

/// The tasks of a host's requests that are not over. Any thread may look at them.
final class RequestTasks: Sendable {
    private let tasks = Locked<[RequestTicket: UInt64]>([:])

    subscript(_ ticket: RequestTicket) -> UInt64? {
        get { tasks.withLock { $0[ticket] } }
        set { tasks.withLock { $0[ticket] = newValue } }
    }

    var all: [RequestTicket: UInt64] { tasks.withLock { $0 } }

    /// Returns the task that is removed; nil if there is none.
    func remove(_ ticket: RequestTicket) -> UInt64? {
        tasks.withLock { $0.removeValue(forKey: ticket) }
    }
}
