// SPDX-License-Identifier: Apache-2.0

/// The states of a host: open, the phases of a shutdown, closed. Each input returns the next action
/// of the shutdown.
package struct HostStateMachine: Sendable {
    package enum State: UInt32, Sendable {
        /// Accepts tasks. Can transition to `draining`.
        case open = 0
        /// Accepts nothing new; tasks may finish. Can transition to `expiring`.
        case draining = 1
        /// All tasks were stopped. Can transition to `leaving`.
        case expiring = 2
        /// Tasks that have not completed were interrupted; functions may return. Can transition to
        /// `closed`.
        case leaving = 3
        /// All threads of the host have ended, except lost workers. Terminal.
        case closed = 4
    }

    /// The next action of a shutdown.
    package enum Action: Equatable, Sendable {
        /// Refuse new tasks, and let existing ones finish.
        case drain
        /// Stop the tasks. With `keepsQueues`, not those of the queues of plugins' subs, through
        /// which pending tasks complete.
        case expire(keepsQueues: Bool)
        /// Interrupt the tasks that have not completed, and let functions return.
        case interrupt
        /// End the threads.
        case close
        /// Another thread performs the shutdown: wait until the host is closed.
        case awaitClosed
    }

    package private(set) var state = State.open
    private var keepsQueues = false
    private var isDestroyed = false

    package init() {}

    /// Begins the shutdown. The first caller performs it.
    package mutating func shutDown() -> Action {
        guard state == .open else { return .awaitClosed }
        state = .draining
        return .drain
    }

    /// Draining is over.
    ///
    /// - Parameter hasQueues: whether a plugin has a queue of subs.
    package mutating func drained(hasQueues: Bool) -> Action {
        move(from: .draining, to: .expiring)
        keepsQueues = hasQueues
        return .expire(keepsQueues: hasQueues)
    }

    /// All stopped tasks have completed, or their time is over.
    package mutating func expired() -> Action {
        if keepsQueues {
            keepsQueues = false
            return .expire(keepsQueues: false)
        }
        move(from: .expiring, to: .leaving)
        return .interrupt
    }

    /// All functions have returned, or their time is over.
    package mutating func left() -> Action {
        move(from: .leaving, to: .closed)
        return .close
    }

    /// Begins the destruction of the host. Returns true for the first caller, who performs it.
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
