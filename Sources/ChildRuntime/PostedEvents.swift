// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// The events that this process may post without asking its host: those that a manifest declares, as long
/// as the host has reserved places for them.
final class PostedEvents: Sendable {
    private let memory: ChannelMemory
    /// The events of each handler, by its place in the manifest.
    private let declared: [[EventSelector: [EventType]]]
    private let used = Atomic<UInt64>(0)
    private let last = Atomic<UInt64>(0)

    init(_ memory: ChannelMemory, _ manifest: Manifest) {
        self.memory = memory
        declared = manifest.handlers.map { handler in
            Dictionary(handler.events.map { ($0.selector, $0.parameters) }) { $1 }
        }
    }

    /// Whether a handler may raise an event with values of these types.
    func isDeclared(_ event: EventSelector, _ values: [EventValue], by handler: Int32) -> Bool {
        guard declared.indices.contains(Int(handler)), let types = declared[Int(handler)][event]
        else { return false }
        return types.elementsEqual(values.lazy.map(\.type))
    }

    /// Takes a reserved place. Returns the number of the event; nil if there is none left.
    func take() -> UInt64? {
        var used = used.load(ordering: .relaxed)
        while used < memory.header.pointee.eventCredits.load(ordering: .acquiring) {
            let (exchanged, seen) = self.used.weakCompareExchange(
                expected: used, desired: used + 1, ordering: .relaxed)
            if exchanged { return last.wrappingAdd(1, ordering: .relaxed).newValue }
            used = seen
        }
        return nil
    }

    /// Gives a place back, of an event that was not posted.
    func giveBack() { used.wrappingSubtract(1, ordering: .relaxed) }
}
