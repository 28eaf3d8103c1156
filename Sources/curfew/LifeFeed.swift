// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Runner
import Scheduling

/// A bounded queue from a host's threads to the thread that prints, in order.
///
/// The thread that delivers events waits while the queue is full, so that events pile up in the
/// host, which counts the lost ones. Log lines and signals never wait.
final class LifeFeed: Sendable {
    enum Item: Sendable {
        case event(HostEvent)
        case log(LogLevel, String)
        case signal(Int32)
    }

    /// The number of items at which the thread that delivers events has to wait.
    private static let limit = 4_096
    /// The number of log lines that may be queued beyond that.
    private static let logLimit = 2 * limit

    private struct State {
        var items: [(time: UInt64, item: Item)] = []
        var lostLines = 0
        var isClosed = false
    }

    private let state = Locked(State())
    /// A reading of CLOCK_MONOTONIC.
    let beginning = csys_monotonic_ns()
    /// Readable when there is something to take.
    private let filled: Int32
    /// Readable when there is room again.
    private let emptied: Int32

    init() throws(CommandError) {
        filled = csys_eventfd()
        emptied = csys_eventfd()
        guard filled >= 0, emptied >= 0 else {
            throw CommandError(
                .host, "no file descriptor is left", help: ["raise the limit: ulimit -n 1024"])
        }
    }

    deinit {
        csys_close(filled)
        csys_close(emptied)
    }

    /// Nanoseconds since it was made.
    var now: UInt64 { csys_monotonic_ns() - beginning }

    /// Returns the time for a value of CLOCK_MONOTONIC.
    func time(of instant: UInt64) -> UInt64 { instant < beginning ? 0 : instant - beginning }

    /// Adds an event; waits while there is no room.
    func add(_ event: HostEvent) {
        let time = now
        while true {
            let isDone = state.withLock { state in
                if state.isClosed { return true }
                guard state.items.count < LifeFeed.limit else { return false }
                state.items.append((time, .event(event)))
                return true
            }
            if isDone { break }
            csys_wait_readable(emptied, .max)
            csys_eventfd_drain(emptied)
        }
        csys_eventfd_signal(filled)
    }

    func add(_ level: LogLevel, _ line: String) {
        let time = now
        state.withLock { state in
            if state.items.count < LifeFeed.logLimit {
                state.items.append((time, .log(level, line)))
            } else {
                state.lostLines += 1
            }
        }
        csys_eventfd_signal(filled)
    }

    func add(signal: Int32) {
        let time = now
        state.withLock { $0.items.append((time, .signal(signal))) }
        csys_eventfd_signal(filled)
    }

    /// Removes and returns all items; waits for the first one, up to the limit in nanoseconds.
    func take(within nanoseconds: UInt64) -> [(time: UInt64, item: Item)] {
        csys_wait_readable(filled, csys_monotonic_ns() &+ nanoseconds)
        csys_eventfd_drain(filled)
        let taken = state.withLock { state in
            var taken = state.items
            state.items.removeAll(keepingCapacity: true)
            if state.lostLines > 0 {
                taken.append((now, .log(.warning, "\(state.lostLines) log lines were dropped")))
                state.lostLines = 0
            }
            return taken
        }
        csys_eventfd_signal(emptied)
        return taken
    }

    /// Wakes threads that wait for room; the queue accepts no more events.
    func close() {
        state.withLock { $0.isClosed = true }
        csys_eventfd_signal(emptied)
    }
}
