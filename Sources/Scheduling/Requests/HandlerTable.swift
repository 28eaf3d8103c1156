// SPDX-License-Identifier: Apache-2.0

/// The scheduler's knowledge of handlers, by identifier. It can revert to a mark, at the cost of
/// the changes since, not of the whole table.
struct HandlerTable: Sendable {
    typealias Handler = RequestScheduler.Handler

    private struct Change: Sendable {
        let identifier: String
        let before: Handler?
    }

    private(set) var all: [String: Handler] = [:]
    /// The handlers that queues wait for.
    private(set) var parking: Set<String> = []
    private var changes: [Change] = []
    private var isMarked = false

    subscript(identifier: String) -> Handler? {
        get { all[identifier] }
        set {
            if isMarked { changes.append(Change(identifier: identifier, before: all[identifier])) }
            put(newValue, identifier)
        }
    }

    subscript(identifier: String, default new: @autoclosure () -> Handler) -> Handler {
        get { all[identifier] ?? new() }
        set { self[identifier] = newValue }
    }

    private mutating func put(_ handler: Handler?, _ identifier: String) {
        all[identifier] = handler
        if handler?.parked.isEmpty ?? true {
            if !parking.isEmpty { parking.remove(identifier) }
        } else {
            parking.insert(identifier)
        }
    }

    /// Sets the mark to which `revert` returns.
    mutating func mark() {
        changes.removeAll(keepingCapacity: true)
        isMarked = true
    }

    /// Reverts all changes since the last mark.
    mutating func revert() {
        while let change = changes.popLast() { put(change.before, change.identifier) }
    }
}
