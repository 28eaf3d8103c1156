// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// A handler as the manifest declares it.
public struct ManifestHandler: Hashable, Sendable {
    /// The reverse-DNS name under which the plugin registers it.
    public let identifier: String
    public let kind: TaskKind
    /// The time that a task may run, in nanoseconds.
    public let budget: UInt64
    /// The time in which a task has to end after it was stopped, in nanoseconds.
    public let grace: UInt64
    /// The maximum number of tasks of this handler that run at the same time.
    public let maxConcurrency: Int
    /// The name in the events about its tasks: `<event>_done::`.
    public let event: String
    /// The events that the plugin may raise; none of them is reserved for the host.
    public let events: [EventSignature]
    public let requires: Set<ManifestRequirement>
    /// The requirements as needs of a request.
    public var needs: RequestNeeds {
        var needs: RequestNeeds = []
        if requires.contains(.network) { needs.insert(.network) }
        if requires.contains(.externalPower) { needs.insert(.externalPower) }
        return needs
    }
    public let form: ManifestForm
    /// The function to call, for the form `call`; otherwise nil.
    public let call: ManifestCall?
    public let isolation: ManifestIsolation
    public let examples: [ManifestExample]
    /// The position of the handler's object.
    public let position: JSONPosition
    /// The position of the identifier.
    public let identifierPosition: JSONPosition
    /// The position of the event name, or of the identifier it comes from.
    public let eventPosition: JSONPosition
    /// The positions of the names of `events`, in the same order.
    public let eventPositions: [JSONPosition]
}
