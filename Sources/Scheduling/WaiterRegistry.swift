// SPDX-License-Identifier: Apache-2.0

/// The one-shot waits for events, matched by event and sender; a newer wait replaces an older one
/// (the rules of B4X's `Wait For`, with the sender's identity as the filter).
///
/// However many wait, each of its steps costs the same: a wait is found by its number, by what it
/// is for, and as the first of its line.
package struct WaiterRegistry: Sendable {
    /// A wait.
    package struct Wait: Equatable, Sendable {
        /// The unique number of this wait.
        package let number: UInt64
        package let event: UInt32
        /// Only events about this task; 0: any, or none.
        package let task: UInt64
        /// Keeps waits of different parties for the same event apart.
        package let context: UInt

        package init(number: UInt64, event: UInt32, task: UInt64, context: UInt) {
            self.number = number
            self.event = event
            self.task = task
            self.context = context
        }
    }

    /// The event and sender of a list of waits.
    private struct Target: Hashable {
        let event: UInt32
        let task: UInt64
    }

    /// Of each kind there is one wait.
    private struct Kind: Hashable {
        let target: Target
        let context: UInt

        init(_ wait: Wait) {
            target = Target(event: wait.event, task: wait.task)
            context = wait.context
        }
    }

    /// The ends of a line, by number; it is never empty.
    private struct Line {
        var first: UInt64
        var last: UInt64
    }

    /// A wait in its line, by the numbers of those beside it.
    private struct Place {
        let wait: Wait
        var previous: UInt64?
        var next: UInt64?
    }

    private var places: [UInt64: Place] = [:]
    private var numbers: [Kind: UInt64] = [:]
    private var lines: [Target: Line] = [:]

    package init() {}

    /// Adds a wait. Returns the number of the one it replaces: same event, task and context.
    package mutating func add(_ wait: Wait) -> UInt64? {
        let kind = Kind(wait)
        let replaced = numbers[kind]
        if let replaced { _ = remove(replaced) }
        numbers[kind] = wait.number
        // First come, first served: append to the list.
        let last = lines[kind.target]?.last
        places[wait.number] = Place(wait: wait, previous: last)
        if let last {
            places[last]?.next = wait.number
            lines[kind.target]?.last = wait.number
        } else {
            lines[kind.target] = Line(first: wait.number, last: wait.number)
        }
        return replaced
    }

    /// An event is delivered. Returns the wait that takes it, which is gone then.
    package mutating func take(event: UInt32, task: UInt64) -> UInt64? {
        // Filtered waits stand before unfiltered ones.
        let line =
            lines[Target(event: event, task: task)] ?? lines[Target(event: event, task: 0)]
        guard let number = line?.first else { return nil }
        _ = remove(number)
        return number
    }

    /// A wait was given up. Returns its event, or nil when it is not there any more.
    package mutating func remove(_ number: UInt64) -> UInt32? {
        guard let place = places.removeValue(forKey: number) else { return nil }
        let kind = Kind(place.wait)
        numbers[kind] = nil
        if let previous = place.previous { places[previous]?.next = place.next }
        if let next = place.next { places[next]?.previous = place.previous }
        switch (place.previous, place.next) {
        case (nil, nil): lines[kind.target] = nil
        case (nil, let next?): lines[kind.target]?.first = next
        case (let previous?, nil): lines[kind.target]?.last = previous
        case (.some, .some): break
        }
        return place.wait.event
    }

    /// Ends all waits. Returns them.
    package mutating func removeAll() -> [Wait] {
        defer { self = WaiterRegistry() }
        return places.values.map(\.wait)
    }
}
