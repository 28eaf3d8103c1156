// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A handler as the manifest declares it.
package struct ManifestHandler: Hashable, Sendable {
    /// The reverse-DNS name under which the plugin registers it.
    package let identifier: String
    package let kind: TaskKind
    /// The time that a task may run, in nanoseconds.
    package let budget: UInt64
    /// The time in which a task has to end after it was stopped, in nanoseconds.
    package let grace: UInt64
    /// The maximum number of tasks of this handler that run at the same time.
    package let maxConcurrency: Int
    /// The name in the events about its tasks: `<event>_done::`.
    package let event: String
    /// The events that the plugin may raise; none of them is reserved for the host.
    package let events: [EventSignature]
    package let requires: Set<ManifestRequirement>
    /// The requirements as needs of a request.
    package var needs: RequestNeeds {
        var needs: RequestNeeds = []
        if requires.contains(.network) { needs.insert(.network) }
        if requires.contains(.externalPower) { needs.insert(.externalPower) }
        return needs
    }
    package let form: ManifestForm
    /// The function to call, for the form `call`; otherwise nil.
    package let call: ManifestCall?
    /// The program to run, for the form `command`; otherwise nil.
    package let command: ManifestCommand?
    /// What the plugin asks for; all its handlers get the most that one of them asks for.
    package let isolation: Isolation
    /// The most of its tasks that run at a time in all hosts of a store; nil: one if only one at a time runs in a host,
    /// or else any number.
    package let maxInStore: Int?
    /// What the host does with its running tasks when it loses its lease.
    package let onLeaseLost: LeaseLoss
    package let examples: [ManifestExample]
    /// The position of the handler's object.
    package let position: JSONPosition
    /// The position of the identifier.
    package let identifierPosition: JSONPosition
    /// The position of the event name, or of the identifier it comes from.
    package let eventPosition: JSONPosition
    /// The positions of the names of `events`, in the same order.
    package let eventPositions: [JSONPosition]
}

/// The way in which a handler's code is called.
package enum ManifestForm: String, Sendable, CaseIterable {
    /// Through `curfew_plugin_entry` and the host's table.
    case entry
    /// Through exported functions with the names of the subs.
    case subs
    /// Any exported function, with the signature the manifest gives.
    case call
    /// A program, in processes of its own.
    case command
}

/// A condition for launching a task, and for continuing it.
package enum ManifestRequirement: String, Sendable, CaseIterable {
    case network
    case externalPower = "external-power"
}

extension ManifestHandler {
    /// The events the host raises about a handler and its tasks; no plugin may declare them.
    package var hostEvents: [EventSignature] { HandlerDescription.hostEvents(of: event) }

    /// These and what else is kept for the host: `scheduling<event>_done::`.
    package var reservedEvents: [EventSignature] { HandlerDescription.reservedEvents(of: event) }
}
