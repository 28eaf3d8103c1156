// SPDX-License-Identifier: Apache-2.0

/// The one-shot waits for events, matched by event and sender; a newer wait replaces an older one
/// (the rules of B4X's `Wait For`, with the sender's identity as the filter).
///
/// Each step costs the same, however many waits there are: a wait is found by its number, by its
/// event and sender, and as the first of its list.
package struct WaiterRegistry: Sendable {
    /// A wait.
    package struct Wait: Equatable, Sendable {
        /// The unique number of this wait.
        package let number: UInt64
        package let event: UInt32
        /// The task of the event; 0 for an event of any task or none.
        package let task: UInt64
        /// Separates waits of different callers for the same event.
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

    /// The key of a wait; there is one wait for each.
    private struct Kind: Hashable {
        let target: Target
        let context: UInt

        init(_ wait: Wait) {
            target = Target(event: wait.event, task: wait.task)
            context = wait.context
        }
    }

    /// The first and the last wait of a list, by number. A list is never empty.
    private struct Line {
        var first: UInt64
        var last: UInt64
    }

    /// The neighbours of a wait in its list, by number.
    private struct Place {
        let wait: Wait
        var previous: UInt64?
        var next: UInt64?
    }

    private var places: [UInt64: Place] = [:]
    private var numbers: [Kind: UInt64] = [:]
    private var lines: [Target: Line] = [:]

    package init() {}

    /// Adds a wait. Returns the number of the wait that it replaces, which has the same event, task
    /// and context.
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

    /// Delivers an event. Removes and returns the wait that takes it.
    package mutating func take(event: UInt32, task: UInt64) -> UInt64? {
        // Filtered waits come before unfiltered ones.
        let line =
            lines[Target(event: event, task: task)] ?? lines[Target(event: event, task: 0)]
        guard let number = line?.first else { return nil }
        _ = remove(number)
        return number
    }

    /// Removes a wait. Returns its event; nil if the wait has ended.
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
