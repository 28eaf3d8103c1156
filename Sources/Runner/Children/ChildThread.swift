// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import PluginBridge

/// The one thread of a host that waits for children: for their reports, for their output, and for the
/// times at which something is due. It starts with the first child, and ends with the host.
package final class ChildThread: Sendable {
    package let spawner: Spawner
    let groups: ControlGroups
    private let threads: HostThreads
    private let phase: HostPhase
    private let state = Locked(State())

    private struct State {
        var poller: Int32 = -1
        var wake: Int32 = -1
        var clients: [any ChildClient] = []
        /// By the descriptor that it watches.
        var watchers: [Int32: any ChildClient] = [:]
        var isClosing = false
    }

    /// Nanoseconds that the end of the thread waits for the end of children.
    private static var exitLimit: UInt64 { 2_000_000_000 }
    /// Nanoseconds between two looks at what is left, while closing.
    private static var interval: UInt64 { 100_000_000 }

    /// - Parameter helper: the configured path of curfew-child.
    init(
        _ threads: HostThreads, _ phase: HostPhase, _ groups: ControlGroups, helper: String?
    ) {
        self.threads = threads
        self.phase = phase
        self.groups = groups
        spawner = Spawner(path: helper)
    }

    /// Starts the thread, if it does not run, and calls the client from now on. Returns false when
    /// the system cannot create it, with errno, or the host is closing.
    package func start(for client: any ChildClient) -> Bool {
        state.withLock { state in
            guard !state.isClosing else {
                errno = ESHUTDOWN
                return false
            }
            if !state.clients.contains(where: { $0 === client }) { state.clients.append(client) }
            if state.poller >= 0 { return true }
            state.poller = csys_poller()
            state.wake = csys_eventfd()
            guard state.poller >= 0, state.wake >= 0, csys_poller_add(state.poller, state.wake),
                threads.start({ [self] in run() })
            else {
                let reason = errno
                csys_close(state.poller)
                csys_close(state.wake)
                (state.poller, state.wake) = (-1, -1)
                errno = reason
                return false
            }
            return true
        }
    }

    /// Calls the client whenever the descriptor is readable.
    package func watch(_ descriptor: Int32, for client: any ChildClient) {
        state.withLock { state in
            state.watchers[descriptor] = client
            _ = csys_poller_add(state.poller, descriptor)
        }
    }

    /// Ends that. The descriptor is closed afterwards.
    package func unwatch(_ descriptor: Int32) {
        state.withLock { state in
            csys_poller_remove(state.poller, descriptor)
            state.watchers[descriptor] = nil
        }
    }

    /// Has every client's `pass` called soon.
    package func wake() {
        state.withLock { if $0.wake >= 0 { csys_eventfd_signal($0.wake) } }
    }

    /// Ends the thread and the spawner, once no client has children, or after a limit.
    package func close() {
        state.withLock { state in
            state.isClosing = true
            if state.wake >= 0 { csys_eventfd_signal(state.wake) }
        }
    }

    // MARK: The thread

    private func run() {
        csys_thread_name("curfew-child")
        threads.join(as: .deadline)
        let (poller, wake) = state.withLock { ($0.poller, $0.wake) }
        var ready = [Int32](repeating: -1, count: 32)
        var end: UInt64?
        var next = UInt64.max
        while true {
            let count = csys_poller_wait(
                poller, &ready, Int32(ready.count), Self.milliseconds(until: next))
            for descriptor in ready.prefix(Int(count)) {
                if descriptor == wake {
                    csys_eventfd_drain(wake)
                } else {
                    state.withLock { $0.watchers[descriptor] }?.receive(from: descriptor)
                }
            }
            let now = csys_monotonic_ns()
            let (clients, isClosing) = state.withLock { ($0.clients, $0.isClosing) }
            next = clients.reduce(.max) { min($0, $1.pass(now: now)) }
            guard isClosing else { continue }
            end = end ?? now &+ Self.exitLimit
            next = min(next, now &+ Self.interval)
            if clients.allSatisfy(\.isOver) || now > end ?? .max { break }
        }
        let clients = state.withLock { state in
            defer { (state.clients, state.watchers) = ([], [:]) }
            return state.clients
        }
        for client in clients { client.abandon() }
        spawner.stop()
        groups.removeLeftovers()
        state.withLock { ($0.poller, $0.wake) = (-1, -1) }
        csys_close(poller)
        csys_close(wake)
        phase.progressed()
    }

    private static func milliseconds(until time: UInt64) -> Int32 {
        guard time != .max else { return -1 }
        let now = csys_monotonic_ns()
        return time <= now ? 0 : Int32(clamping: (time - now) / 1_000_000 + 1)
    }
}
