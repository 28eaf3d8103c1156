// SPDX-License-Identifier: Apache-2.0

/// The description of a handler, from a manifest or from the embedder.
package struct HandlerDescription: Sendable {
    /// The reverse-DNS name, unique in a host.
    package var identifier: String
    /// The handler's kind.
    package var kind: TaskKind
    /// The nanoseconds that a task may use.
    package var budget: UInt64
    /// The nanoseconds in which a task has to complete after expiration.
    package var grace: UInt64
    /// The maximum number of its tasks that run at the same time.
    package var maxConcurrency: UInt32
    /// The most of its tasks that run at a time in all hosts of a store; nil for the default.
    package var maxInStore: Int?
    /// What the host does with its running tasks when it loses its lease.
    package var onLeaseLost: LeaseLoss = .stop
    /// The base of its events' names.
    package var event: String {
        didSet { reservedEvents = HandlerDescription.reservedEvents(of: event) }
    }
    /// The names of events that only the host may raise; see `reservedEvents(of:)`.
    package private(set) var reservedEvents: [EventSignature]
    /// Further events that its tasks may raise.
    package var events: [EventSignature]
    /// The conditions for launching its requests, and for continuing their tasks.
    package var needs: RequestNeeds = []
    /// Whether it is the queue of a plugin's subs: it is no declared handler, its name is not a
    /// valid identifier, and its events are not delivered.
    package private(set) var isQueue = false

    /// Returns the description of the queue of a plugin with that id and number.
    package static func queue(of plugin: String, number: Int32, kind: TaskKind) -> Self {
        var queue = HandlerDescription(
            identifier: "\(plugin)/subs", kind: kind, budget: TaskKind.appRefresh.defaultBudget,
            event: "curfew_subs_\(number)")
        queue.isQueue = true
        return queue
    }

    /// Creates a description. If budget, grace or event name is nil, the default of the kind or the
    /// identifier counts.
    package init(
        identifier: String, kind: TaskKind = .appRefresh, budget: UInt64? = nil,
        grace: UInt64? = nil, maxConcurrency: UInt32 = 1, event: String? = nil,
        events: [EventSignature] = []
    ) {
        self.identifier = identifier
        self.kind = kind
        self.budget = budget ?? kind.defaultBudget
        self.grace = grace ?? TaskKind.defaultGrace
        self.maxConcurrency = maxConcurrency
        let name = event ?? HandlerDescription.defaultEvent(of: identifier)
        self.event = name
        reservedEvents = HandlerDescription.reservedEvents(of: name)
        self.events = events
    }

    /// Returns the identifier's last component in lower case, with `-` replaced by `_`.
    package static func defaultEvent(of identifier: String) -> String {
        let last = identifier.split(separator: ".").last ?? ""
        return String(last).lowercased().split(separator: "-", omittingEmptySubsequences: false)
            .joined(separator: "_")
    }

    /// Returns whether a text has two or more components of letters, digits, `-` and `_`, and at
    /// most 128 bytes. A manifest has no `_`; identifiers of embedders may.
    package static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count <= 128 else { return false }
        var components = 1
        var isEmpty = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                isEmpty = false
            case UInt8(ascii: "."):
                if isEmpty { return false }
                components += 1
                isEmpty = true
            default: return false
            }
        }
        return components >= 2 && !isEmpty
    }

    /// The four events that the host raises for it: registering, progress, expired, done.
    package var hostEvents: [EventSignature] { HandlerDescription.hostEvents(of: event) }

    /// Returns the host's events for an event name; fewer than four if the name is not valid.
    package static func hostEvents(of event: String) -> [EventSignature] {
        events(of: event, names: hostNames)
    }

    /// Returns all names of events that are reserved for the host: those of `hostEvents` in that
    /// order, and the event about requests. Fewer than five if the name is not valid.
    package static func reservedEvents(of event: String) -> [EventSignature] {
        events(of: event, names: allNames)
    }

    private static let hostNames = [
        Name("registering", "_done", [.bool, .text]), Name("", "_progress", [.double, .text]),
        Name("", "_expired", []), Name("", "_done", [.bool, .text]),
    ]
    private static let allNames = hostNames + [Name("scheduling", "_done", [.bool, .text])]

    /// The prefix and suffix of a host event's name.
    private struct Name {
        let before: String
        let after: String
        let parameters: [EventType]

        init(_ before: String, _ after: String, _ parameters: [EventType]) {
            (self.before, self.after, self.parameters) = (before, after, parameters)
        }

        func name(_ event: String) -> String {
            var name = ""
            name.reserveCapacity(before.utf8.count + event.utf8.count + after.utf8.count)
            name += before
            name += event
            name += after
            return name
        }
    }

    private static func events(of event: String, names: [Name]) -> [EventSignature] {
        names.compactMap { EventSignature(name: $0.name(event), parameters: $0.parameters) }
    }

    /// The reason why the description cannot be used; nil if it can.
    package var fault: String? {
        if !isQueue, !HandlerDescription.isIdentifier(identifier) {
            return
                "\"\(identifier)\" is not an identifier: write a reverse-DNS name such as org.example.tidy"
        }
        if reservedEvents.count != 5 || event.utf8.count > 100 {
            return
                "\"\(event)\" is not an event name: use lower-case letters, digits and _, a letter first, at most 100 bytes"
        }
        if maxConcurrency < 1 || maxConcurrency > 64 {
            return "maxConcurrency is \(maxConcurrency); it must be in 1…64"
        }
        if let maxInStore, maxInStore < 1 || maxInStore > 10_000 {
            return "maxInStore is \(maxInStore); it must be in 1…10,000"
        }
        if budget < 1_000_000 || budget > 86_400_000_000_000 {
            return "the budget is \(budget) ns; it must be in 1 ms…24 h"
        }
        if grace > 600_000_000_000 { return "the grace is \(grace) ns; it must be at most 10 min" }
        // Most handlers have few events, so a linear search is fast.
        var declared = reservedEvents.map(\.selector)
        var many = events.count > 16 ? Set(declared) : nil
        for event in events {
            if event.selector.name.hasPrefix("curfew_") {
                return "\"\(event.selector)\": names that start with curfew_ are the host's own"
            }
            let isNew =
                many?.insert(event.selector).inserted ?? !declared.contains(event.selector)
            declared.append(event.selector)
            if !isNew {
                return
                    "the event \"\(event.selector)\" is declared twice, or is the host's own: leave it out"
            }
        }
        return nil
    }
}
