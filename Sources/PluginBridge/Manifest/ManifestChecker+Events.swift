// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

extension ManifestChecker {
    /// The beginning of names that are the host's.
    private static var reservedPrefix: String { "curfew_" }

    /// Reads the name a handler's events are made of.
    mutating func event(_ value: JSONValue) -> String? {
        guard let name = text(value, key: .event), isEventName(name, at: value) else { return nil }
        guard name.utf8.count <= Manifest.eventLimit else {
            fault(
                .event, at: value,
                "`event` has \(name.utf8.count) bytes, the limit is \(Manifest.eventLimit)",
                help: "write a shorter name, as \(ManifestKey.event.example)")
            return nil
        }
        return name
    }

    /// The identifier's last component in small letters, with underscores for hyphens.
    mutating func defaultEvent(_ identifier: String?, at value: JSONValue) -> String? {
        guard let identifier else { return nil }
        let name = HandlerDescription.defaultEvent(of: identifier)
        guard name.utf8.count <= Manifest.eventLimit, EventSelector(name: name, arity: 0) != nil
        else {
            fault(
                .event, at: value,
                "the identifier gives the event name \(DiagnosticText.quoted(name)), which is not"
                    + " one",
                help: "add \(ManifestKey.event.usage): at most \(Manifest.eventLimit) small"
                    + " letters, digits and underscores, a letter first")
            return nil
        }
        return name
    }

    /// Takes a handler's event name, and with it the events the host raises about its tasks.
    mutating func claim(_ event: String, at value: JSONValue, names: inout ManifestNames) {
        if let first = names.claim(event, at: value.position) {
            fault(
                .duplicateEvent, at: value,
                "the event name `\(event)` is taken; the first is at line \(first.line), column"
                    + " \(first.column)",
                help: "add an \"event\" of its own to one of the two handlers")
            return
        }
        for signature in HandlerDescription.reservedEvents(of: event) {
            let selector = signature.selector
            guard !selector.name.hasPrefix(Self.reservedPrefix) else {
                fault(
                    .reservedEvent, at: value,
                    "the event name `\(event)` makes `\(selector)`, and names that begin with"
                        + " `\(Self.reservedPrefix)` are the host's",
                    help: "write another name: \(ManifestKey.event.usage)")
                return
            }
            if let first = names.claim(hostEvent: selector, at: value.position) {
                fault(
                    .duplicateEvent, at: value,
                    "the event name `\(event)` makes `\(selector)`, and so does the one at line"
                        + " \(first.line), column \(first.column)",
                    help: "write another name: \(ManifestKey.event.usage)")
                return
            }
        }
    }

    /// Reads the events the plugin raises itself.
    mutating func events(
        _ value: JSONValue, names: inout ManifestNames
    ) -> [(signature: EventSignature, position: JSONPosition)] {
        guard let elements = array(value, key: .events) else { return [] }
        guard elements.count <= Manifest.eventsLimit else {
            fault(
                .event, at: value,
                "`events` has \(elements.count) elements, the limit is \(Manifest.eventsLimit)",
                help: "use fewer events with more parameters")
            return []
        }
        var signatures: [(EventSignature, JSONPosition)] = []
        for element in elements {
            guard let fields = fields(of: .event, in: element) else { continue }
            let place = fields[ManifestKey.eventName.name]
            let name = place.flatMap { ownEventName($0) }
            let types = fields[ManifestKey.parameters.name].map { parameters($0) } ?? []
            guard let place, let name, let types,
                let signature = EventSignature(name: name, parameters: types)
            else { continue }
            let selector = signature.selector
            if names.isHostEvent(selector) {
                fault(
                    .reservedEvent, at: place,
                    "the event `\(selector)` is the host's; a plugin cannot raise it",
                    help: "remove it, or write another name")
            } else if let first = names.claim(ownEvent: selector, at: place.position) {
                fault(
                    .duplicateEvent, at: place,
                    "the event `\(selector)` is declared twice; the first is at line"
                        + " \(first.line), column \(first.column)",
                    help: "write another name; names are shared by all handlers")
            } else {
                signatures.append((signature, place.position))
            }
        }
        return signatures
    }

    private mutating func ownEventName(_ value: JSONValue) -> String? {
        guard let name = text(value, key: .eventName), isEventName(name, at: value) else {
            return nil
        }
        guard !name.hasPrefix(Self.reservedPrefix) else {
            fault(
                .reservedEvent, at: value,
                "the event name \(DiagnosticText.quoted(name)) begins with"
                    + " `\(Self.reservedPrefix)`, which is the host's",
                help: "write another name")
            return nil
        }
        return name
    }

    private mutating func isEventName(_ name: String, at value: JSONValue) -> Bool {
        if EventSelector(name: name, arity: 0) != nil { return true }
        fault(
            .event, at: value, "\(DiagnosticText.quoted(name)) is not the name of an event",
            help:
                "write at most \(EventSelector.nameLimit) small letters, digits and underscores, a"
                + " letter first; without colons")
        return false
    }

    private static let types = EventType.allCases.map(\.name)

    private mutating func parameters(_ value: JSONValue) -> [EventType]? {
        guard let elements = array(value, key: .parameters) else { return nil }
        guard elements.count <= EventSelector.arityLimit else {
            fault(
                .parameter, at: value,
                "the event has \(elements.count) parameters, the limit is"
                    + " \(EventSelector.arityLimit)",
                help: "put several values into one text")
            return nil
        }
        let names = Self.types
        let types = elements.map { element in
            word(element, key: .parameters, rule: .parameter, among: names)
                .flatMap { EventType(name: $0) }
        }
        return types.contains(nil) ? nil : types.compactMap(\.self)
    }
}
