// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import PluginBridge
import Runner

/// The queue from a simulated host to the thread that prints.
///
/// Producers never wait for room: the printing thread lets the host settle, and would wait for
/// itself.
final class SimulationFeed: Sendable {
    enum Item: Sendable {
        case event(HostEvent)
        case log(LogLevel, String)
        /// The number of events that found no room.
        case lost(Int)

        var isLog: Bool { if case .log = self { true } else { false } }
    }

    /// An item, and where it belongs. A line of the log comes from the thread that writes it and an
    /// event by way of the host's queue, so that the first can overtake the second.
    struct Entry: Sendable {
        let item: Item
        /// For an event, its number in the host's queue; for a line, the number of items queued
        /// before it.
        let position: UInt64
        let task: UInt64

        /// Whether it is the first line of a simulated launch.
        var beginsSimulation: Bool {
            if case .log(_, let line) = item {
                SimulationFeed.beginsSimulation(line)
            } else {
                false
            }
        }
    }

    private struct State {
        var entries: [Entry] = []
        var lost = 0
        var simulated: UInt64?
        var events: EventQueue?
    }

    private static let limit = 4_096
    private let state = Locked(State())
    /// Readable when there is something to take.
    private let filled: Int32

    init() throws(CommandError) {
        filled = csys_eventfd()
        guard filled >= 0 else {
            throw CommandError(
                .host, "no file descriptor is left", help: ["raise the limit: ulimit -n 1024"])
        }
    }

    deinit { csys_close(filled) }

    /// From now on items have positions.
    func follow(_ events: EventQueue) { state.withLock { $0.events = events } }

    func add(_ event: HostEvent) { add(.event(event), of: event.task) }

    /// - Parameter task: which one the line is about, or 0.
    func add(_ level: LogLevel, _ line: String, of task: UInt64) {
        if Self.beginsSimulation(line) { state.withLock { $0.simulated = task } }
        add(.log(level, line), of: task)
    }

    fileprivate static func beginsSimulation(_ line: String) -> Bool {
        line.hasPrefix("Starting simulated task: ")
    }

    /// The task that a simulated launch began last.
    var simulated: UInt64? { state.withLock { $0.simulated } }

    /// The number of events that were delivered.
    var position: UInt64 { state.withLock { $0.events?.taken ?? 0 } }

    private func add(_ item: Item, of task: UInt64) {
        state.withLock { state in
            let position = (item.isLog ? state.events?.queued : state.events?.taken) ?? 0
            if state.entries.count < Self.limit {
                state.entries.append(Entry(item: item, position: position, task: task))
            } else {
                state.lost += 1
            }
        }
        csys_eventfd_signal(filled)
    }

    /// Removes and returns all items; waits for the first one, up to the limit in nanoseconds.
    func take(within nanoseconds: UInt64) -> [Entry] {
        if nanoseconds > 0 { csys_wait_readable(filled, csys_monotonic_ns() &+ nanoseconds) }
        csys_eventfd_drain(filled)
        return state.withLock { state in
            defer {
                state.entries.removeAll()
                state.lost = 0
            }
            guard state.lost > 0 else { return state.entries }
            let position = state.entries.last?.position ?? 0
            return state.entries + [
                Entry(item: .lost(state.lost), position: position, task: 0)
            ]
        }
    }

    /// The entries as they came about: a line stands after the events that were queued before it, and
    /// that a task begins before all that the task did.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        // The place in the list decides between equals: the sort of the library is not stable by
        // promise.
        var sorted = entries.enumerated().sorted {
            ($0.element.position, $0.element.item.isLog ? 1 : 0, $0.offset)
                < ($1.element.position, $1.element.item.isLog ? 1 : 0, $1.offset)
        }.map(\.element)
        for (place, entry) in sorted.enumerated() {
            guard entry.beginsSimulation,
                let first = sorted[..<place].firstIndex(where: { $0.task == entry.task })
            else { continue }
            sorted.insert(sorted.remove(at: place), at: first)
        }
        return sorted
    }
}
