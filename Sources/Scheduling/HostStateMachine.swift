// SPDX-License-Identifier: Apache-2.0

/// The life of a host: open, then the phases of a shutdown, then closed. Each input returns what the
/// shutdown has to do next.
package struct HostStateMachine: Sendable {
    package enum State: UInt32, Sendable {
        /// Takes tasks in. Can transition to `draining`.
        case open = 0
        /// Takes nothing in; tasks may finish. Can transition to `expiring`.
        case draining = 1
        /// All tasks were asked to stop. Can transition to `leaving`.
        case expiring = 2
        /// Tasks that have not answered were interrupted; functions may return. Can transition to
        /// `closed`.
        case leaving = 3
        /// No thread of the host runs any more, but for lost ones. Terminal.
        case closed = 4
    }

    /// The next step of a shutdown.
    package enum Action: Equatable, Sendable {
        /// Refuse new tasks, and let those that are there come to their end.
        case drain
        /// Tell tasks to stop; with `keepsQueues` all but those of the queues of plugins' subs, by
        /// which pending tasks answer.
        case expire(keepsQueues: Bool)
        /// Answer for tasks that have not, and let functions return.
        case interrupt
        /// End the threads.
        case close
        /// Another thread carries the shutdown out, or has: wait until the host is closed.
        case awaitClosed
    }

    package private(set) var state = State.open
    private var keepsQueues = false
    private var isDestroyed = false

    package init() {}

    /// Shutdown is asked for. The first to ask carries it out.
    package mutating func shutDown() -> Action {
        guard state == .open else { return .awaitClosed }
        state = .draining
        return .drain
    }

    /// Draining is over.
    ///
    /// - Parameter hasQueues: some plugin has a queue of subs.
    package mutating func drained(hasQueues: Bool) -> Action {
        move(from: .draining, to: .expiring)
        keepsQueues = hasQueues
        return .expire(keepsQueues: hasQueues)
    }

    /// What was told to stop has answered, or its time is over.
    package mutating func expired() -> Action {
        if keepsQueues {
            keepsQueues = false
            return .expire(keepsQueues: false)
        }
        move(from: .expiring, to: .leaving)
        return .interrupt
    }

    /// Functions have returned, or their time is over.
    package mutating func left() -> Action {
        move(from: .leaving, to: .closed)
        return .close
    }

    /// The host is to be destroyed. Returns true for the first to ask, who carries it out.
    package mutating func destroy() -> Bool {
        precondition(state == .closed, "a host that is \(state) cannot be destroyed")
        defer { isDestroyed = true }
        return !isDestroyed
    }

    private mutating func move(from: State, to: State) {
        precondition(state == from, "a host goes from \(from) to \(to), not from \(state)")
        state = to
    }
}
