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
    package let isolation: ManifestIsolation
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
