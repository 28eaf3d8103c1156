// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Runner
import Synchronization

/// What a simulated host says, for the thread that shows it.
///
/// Nobody waits for room in it: that thread lets the host settle, and would wait for itself.
final class SimulationFeed: Sendable {
    enum Item: Sendable {
        case event(HostEvent)
        case log(LogLevel, String)
        /// So many events came that had no room.
        case lost(Int)
    }

    private struct State {
        var items: [Item] = []
        var lost = 0
        var simulated: UInt64?
    }

    private static let limit = 4_096
    private let state = Mutex(State())
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

    func add(_ event: HostEvent) { add(.event(event)) }

    /// - Parameter task: which one the line is about, or 0.
    func add(_ level: LogLevel, _ line: String, of task: UInt64) {
        if line.hasPrefix("Starting simulated task: ") {
            state.withLock { $0.simulated = task }
        }
        add(.log(level, line))
    }

    /// The task that a simulated launch began last.
    var simulated: UInt64? { state.withLock { $0.simulated } }

    private func add(_ item: Item) {
        state.withLock { state in
            if state.items.count < Self.limit {
                state.items.append(item)
            } else {
                state.lost += 1
            }
        }
        csys_eventfd_signal(filled)
    }

    /// Takes all that is there, waiting at most so many nanoseconds for the first.
    func take(within nanoseconds: UInt64) -> [Item] {
        if nanoseconds > 0 { csys_wait_readable(filled, csys_monotonic_ns() &+ nanoseconds) }
        csys_eventfd_drain(filled)
        return state.withLock { state in
            defer {
                state.items.removeAll()
                state.lost = 0
            }
            return state.items + (state.lost > 0 ? [.lost(state.lost)] : [])
        }
    }
}
