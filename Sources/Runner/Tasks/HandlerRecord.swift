// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Scheduling
import Synchronization

/// What a host knows of a handler besides what running it touches.
public final class HandlerRecord: @unchecked Sendable {
    // Sendable: everything is constant but the locked reason.

    public let index: UInt32
    public let description: HandlerDescription
    /// The plugin's id, "" for the embedder's own.
    public let plugin: String
    /// NUL-terminated forms, for the life of the host.
    public let identifierText: UnsafePointer<CChar>
    public let pluginText: UnsafePointer<CChar>
    public let eventText: UnsafePointer<CChar>

    let cell: HandlerCellPointer
    let registering: EventEntry
    let progress: EventEntry
    let expired: EventEntry
    let done: EventEntry
    /// A request of it was submitted, or not.
    let scheduling: EventEntry
    /// What its tasks may raise.
    let declared: [EventSelector: EventEntry]

    /// What its functions are called with, where the host keeps that.
    private let owner: AnyObject?
    private let quarantine = Locked<String?>(nil)
    private let texts = TextStore()

    /// How many names of events are the host's, before those its tasks may raise.
    static let reservedCount = 5

    init(
        index: UInt32, description: HandlerDescription, plugin: String, cell: HandlerCellPointer,
        events: [EventEntry], owner: AnyObject?
    ) {
        self.index = index
        self.description = description
        self.plugin = plugin
        self.cell = cell
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
        cell.deinitialize(count: 1)
        UnsafeMutableRawPointer(cell).deallocate()
    }

    /// Why it is quarantined, or nil.
    public internal(set) var quarantineReason: String? {
        get { quarantine.withLock { $0 } }
        set { quarantine.withLock { $0 = newValue } }
    }

    /// The reason as a text of the host's, "" without one. Each different one is kept.
    public var quarantineText: UnsafePointer<CChar> { texts.keep(quarantineReason ?? "") }

    public var isPaused: Bool {
        cell.pointee.gate.load(ordering: .acquiring) & HandlerCell.Gate.paused != 0
    }
    public var isQuarantined: Bool {
        cell.pointee.gate.load(ordering: .acquiring) & HandlerCell.Gate.quarantined != 0
    }
    public var queued: UInt64 { cell.queueLength }
    public var active: UInt32 { cell.pointee.active.load(ordering: .relaxed) }
    public var lost: UInt32 { cell.pointee.lost.load(ordering: .relaxed) }

    public var launched: UInt64 {
        // What is subtracted is read first, so that the difference is never below zero.
        let others =
            cell.pointee.blanks.load(ordering: .acquiring)
            &+ cell.pointee.requeued.load(ordering: .acquiring)
        return cell.pointee.tail.load(ordering: .acquiring) &- others
    }

    /// How many of its tasks ended so.
    public func ended(_ outcome: Outcome) -> UInt64 {
        let others = cell.pointee.ended[Int(outcome.rawValue)].load(ordering: .acquiring)
        guard outcome == .succeeded else { return others }
        return others &+ cell.pointee.successes.load(ordering: .acquiring)
    }
}
