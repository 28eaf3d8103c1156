// SPDX-License-Identifier: Apache-2.0

/// The type of one event parameter.
public enum EventType: Int32, Sendable, CaseIterable {
    /// True or false.
    case bool = 1
    /// A whole number of 32 bits.
    case int32 = 2
    /// A whole number of 64 bits.
    case int64 = 3
    /// A floating-point number.
    case double = 4
    /// UTF-8.
    case text = 5

    /// The name a manifest uses.
    package var name: String {
        switch self {
        case .bool: "bool"
        case .int32: "int32"
        case .int64: "int64"
        case .double: "double"
        case .text: "text"
        }
    }

    /// Reads the name a manifest uses.
    package init?(name: String) {
        guard let type = EventType.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }
}

/// A declared event: its selector and the types of its parameters.
public struct EventSignature: Hashable, Sendable {
    /// Its name and the number of its parameters.
    package let selector: EventSelector
    /// The types, as many as the selector has colons.
    package let parameters: [EventType]

    /// Fails for another number of parameters than the selector says.
    package init?(selector: EventSelector, parameters: [EventType]) {
        guard parameters.count == selector.arity else { return nil }
        self.selector = selector
        self.parameters = parameters
    }

    /// Fails for a name that no event can have, and for too many parameters.
    public init?(name: String, parameters: [EventType]) {
        guard let selector = EventSelector(name: name, arity: parameters.count) else { return nil }
        self.selector = selector
        self.parameters = parameters
    }
}
