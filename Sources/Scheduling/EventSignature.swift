// SPDX-License-Identifier: Apache-2.0

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
