// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// The names a manifest has given away so far, each with the place where it was.
struct ManifestNames {
    private var identifiers: [String: JSONPosition] = [:]
    private var handlerEvents: [String: JSONPosition] = [:]
    private var hostEvents: [EventSelector: JSONPosition] = [:]
    private var ownEvents: [EventSelector: JSONPosition] = [:]

    /// Each of these takes a name, or returns where it was taken before.
    mutating func declare(_ identifier: String, at place: JSONPosition) -> JSONPosition? {
        Self.take(identifier, in: &identifiers, at: place)
    }

    mutating func claim(_ handlerEvent: String, at place: JSONPosition) -> JSONPosition? {
        Self.take(handlerEvent, in: &handlerEvents, at: place)
    }

    mutating func claim(hostEvent: EventSelector, at place: JSONPosition) -> JSONPosition? {
        Self.take(hostEvent, in: &hostEvents, at: place)
    }

    mutating func claim(ownEvent: EventSelector, at place: JSONPosition) -> JSONPosition? {
        Self.take(ownEvent, in: &ownEvents, at: place)
    }

    /// Whether the host raises that event about one of the handlers.
    func isHostEvent(_ selector: EventSelector) -> Bool { hostEvents[selector] != nil }

    private static func take<Name: Hashable>(
        _ name: Name, in names: inout [Name: JSONPosition], at place: JSONPosition
    ) -> JSONPosition? {
        if let first = names[name] { return first }
        names[name] = place
        return nil
    }
}
