// SPDX-License-Identifier: Apache-2.0

public import Scheduling

extension ManifestHandler {
    /// The events the host raises about a handler and its tasks; no plugin may declare them.
    public var hostEvents: [EventSignature] { ManifestHandler.hostEvents(of: event) }

    /// The same for an event name that is at most `Manifest.eventLimit` bytes long.
    static func hostEvents(of event: String) -> [EventSignature] {
        let events: [(name: String, parameters: [EventType])] = [
            ("registering\(event)_done", [.bool, .text]),
            ("\(event)_progress", [.double, .text]),
            ("\(event)_expired", []),
            ("\(event)_done", [.bool, .text]),
        ]
        return events.compactMap { EventSignature(name: $0.name, parameters: $0.parameters) }
    }
}
