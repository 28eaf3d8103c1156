// SPDX-License-Identifier: Apache-2.0

/// A declared event: its selector and the types of its parameters.
package struct EventSignature: Hashable, Sendable {
    /// Its name and the number of its parameters.
    package let selector: EventSelector
    /// The types, as many as the selector has colons.
    package let parameters: [EventType]

    /// Returns nil if the number of parameters differs from the selector's.
    package init?(selector: EventSelector, parameters: [EventType]) {
        guard parameters.count == selector.arity else { return nil }
        self.selector = selector
        self.parameters = parameters
    }

    /// Returns nil if the name is not valid for an event, or there are too many parameters.
    package init?(name: String, parameters: [EventType]) {
        guard let selector = EventSelector(name: name, arity: parameters.count) else { return nil }
        self.selector = selector
        self.parameters = parameters
    }
}
