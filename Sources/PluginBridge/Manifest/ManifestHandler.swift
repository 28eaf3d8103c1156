// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// A handler as the manifest declares it.
public struct ManifestHandler: Hashable, Sendable {
    /// The reverse-DNS name under which the plugin registers it.
    public let identifier: String
    public let kind: TaskKind
    /// How long a task may run, in nanoseconds.
    public let budget: UInt64
    /// How long a task has to answer once it was told to stop, in nanoseconds.
    public let grace: UInt64
    /// How many tasks of this handler run at the same time, at most.
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
    /// Where the handler's object begins.
    public let position: JSONPosition
    /// Where the identifier stands.
    public let identifierPosition: JSONPosition
    /// Where the event name stands, or the identifier it is made of.
    public let eventPosition: JSONPosition
    /// Where the names of `events` stand, in the same order.
    public let eventPositions: [JSONPosition]
}
