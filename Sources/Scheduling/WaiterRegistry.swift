// SPDX-License-Identifier: Apache-2.0

/// Who waits for which event: one-shot, matched by event and sender, a newer wait in place of an
/// older one (the rules of B4X's `Wait For`, with identity of sender as the filter).
public struct WaiterRegistry: Sendable {
    /// One wait.
    public struct Wait: Equatable, Sendable {
        public let number: UInt64
        public let event: UInt32
        /// Only events about this task; 0: any, or none.
        public let task: UInt64
        /// Keeps waits of different parties for the same event apart.
        public let context: UInt

        public init(number: UInt64, event: UInt32, task: UInt64, context: UInt) {
            self.number = number
            self.event = event
            self.task = task
            self.context = context
        }
    }

    private var waits: [UInt32: [Wait]] = [:]

    public init() {}

    /// Adds a wait. Returns the number of the one it replaces: same event, task and context.
    public mutating func add(_ wait: Wait) -> UInt64? {
        var list = waits[wait.event, default: []]
        var replaced: UInt64?
        if let old = list.firstIndex(where: { $0.task == wait.task && $0.context == wait.context })
        {
            replaced = list.remove(at: old).number
        }
        // Filtered waits stand before unfiltered ones; within each, first come, first served.
        if wait.task != 0 {
            list.insert(wait, at: list.firstIndex { $0.task == 0 } ?? list.endIndex)
        } else {
            list.append(wait)
        }
        waits[wait.event] = list
        return replaced
    }

    /// An event is delivered. Returns the wait that takes it, which is gone then.
    public mutating func take(event: UInt32, task: UInt64) -> UInt64? {
        guard var list = waits[event],
            let index = list.firstIndex(where: { $0.task == 0 || $0.task == task })
        else { return nil }
        let wait = list.remove(at: index)
        waits[event] = list.isEmpty ? nil : list
        return wait.number
    }

    /// A wait was given up. Returns its event, or nil when it is not there any more.
    public mutating func remove(_ number: UInt64) -> UInt32? {
        for (event, list) in waits {
            guard let index = list.firstIndex(where: { $0.number == number }) else { continue }
            var rest = list
            rest.remove(at: index)
            waits[event] = rest.isEmpty ? nil : rest
            return event
        }
        return nil
    }

    /// Ends all waits. Returns them.
    public mutating func removeAll() -> [Wait] {
        let all = waits.values.flatMap { $0 }
        waits = [:]
        return all
    }
}
