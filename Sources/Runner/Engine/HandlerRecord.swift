// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Scheduling
import Synchronization

/// A handler of a host with the data that launching and running it do not need.
package final class HandlerRecord: @unchecked Sendable {
    // Sendable: everything is constant except the locked reason.

    package let index: UInt32
    package let description: HandlerDescription
    /// The plugin's id, or "" for the embedder.
    package let plugin: String
    /// The digest of the plugin's content; "" if it is unknown.
    let build: String
    /// NUL-terminated strings, valid for the life of the host.
    package let identifierText: UnsafePointer<CChar>
    package let pluginText: UnsafePointer<CChar>
    package let eventText: UnsafePointer<CChar>

    let queue: HandlerQueuePointer
    let registering: EventEntry
    let progress: EventEntry
    let expired: EventEntry
    let done: EventEntry
    /// Raised after a request for the handler was submitted or refused.
    let scheduling: EventEntry
    let declared: [EventSelector: EventEntry]

    /// Keeps the context of the handler's functions alive.
    private let owner: AnyObject?
    private let closedState = Locked<HandlerState.Closed?>(nil)
    private let texts = TextStore()

    static let reservedCount = 5

    init(
        index: UInt32, description: HandlerDescription, plugin: String, build: String,
        queue: HandlerQueuePointer, events: [EventEntry], owner: AnyObject?
    ) {
        self.index = index
        self.description = description
        self.plugin = plugin
        self.build = build
        self.queue = queue
        self.owner = owner
        registering = events[0]
        progress = events[1]
        expired = events[2]
        done = events[3]
        scheduling = events[4]
        declared = Dictionary(
            uniqueKeysWithValues: events[Self.reservedCount...].map { ($0.selector, $0) })
        identifierText = texts.keep(description.identifier)
        pluginText = texts.keep(plugin)
        eventText = texts.keep(description.event)
    }

    deinit {
        queue.deinitialize(count: 1)
        UnsafeMutableRawPointer(queue).deallocate()
    }

    /// The reason why none of its tasks is begun, besides a pause.
    var closed: HandlerState.Closed? {
        get { closedState.withLock { $0 } }
        set { closedState.withLock { $0 = newValue } }
    }

    /// The reason of its quarantine; nil if it is in none.
    package var quarantineReason: String? {
        switch closed {
        case .quarantined(let reason), .quarantinedPlugin(let reason): reason
        default: nil
        }
    }

    /// The reason as a string that lives as long as the host, or "".
    package var quarantineText: UnsafePointer<CChar> { texts.keep(quarantineReason ?? "") }

    package var isPaused: Bool {
        queue.pointee.gate.load(ordering: .acquiring) & HandlerQueue.Gate.paused != 0
    }
    package var isQuarantined: Bool {
        queue.pointee.gate.load(ordering: .acquiring) & HandlerQueue.Gate.quarantined != 0
    }
    package var queued: UInt64 {
        queue.length + UInt64(ChildPort.of(queue)?.waitingTasks(queue).count ?? 0)
    }
    package var active: UInt32 {
        if let port = ChildPort.of(queue) { return UInt32(port.active(queue)) }
        return queue.pointee.active.load(ordering: .relaxed)
    }
    package var lost: UInt32 { queue.pointee.lost.load(ordering: .relaxed) }

    package var launched: UInt64 {
        // The subtrahends are read first, so that the difference is never negative.
        let others =
            queue.pointee.blanks.load(ordering: .acquiring)
            &+ queue.pointee.requeued.load(ordering: .acquiring)
        return queue.pointee.tail.load(ordering: .acquiring) &- others
    }

    package func ended(_ outcome: Outcome) -> UInt64 {
        let others = queue.pointee.ended[Int(outcome.rawValue)].load(ordering: .acquiring)
        guard outcome == .succeeded else { return others }
        return others &+ queue.pointee.successes.load(ordering: .acquiring)
    }
}
