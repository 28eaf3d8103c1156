// SPDX-License-Identifier: Apache-2.0

/// The life of a host: open, then the four phases of a shutdown, then closed.
public struct HostStateMachine: Sendable {
    public enum State: UInt32, Sendable {
        /// Takes tasks in. Can transition to `draining`.
        case open = 0
        /// Takes nothing in; tasks may finish. Can transition to `expiring`.
        case draining = 1
        /// Everything was told to stop. Can transition to `leaving`.
        case expiring = 2
        /// Whoever has not answered was interrupted; functions may return. Can transition to
        /// `closed`.
        case leaving = 3
        /// No thread of the host runs any more, but for lost ones. Terminal.
        case closed = 4
    }

    public private(set) var state = State.open

    public init() {}

    /// Shutdown is asked for. Returns true for the first to ask, who carries it out.
    public mutating func shutDown() -> Bool {
        guard state == .open else { return false }
        state = .draining
        return true
    }

    public mutating func drained() { move(from: .draining, to: .expiring) }
    public mutating func expired() { move(from: .expiring, to: .leaving) }
    public mutating func left() { move(from: .leaving, to: .closed) }

    private mutating func move(from: State, to: State) {
        precondition(state == from, "a host goes from \(from) to \(to), not from \(state)")
        state = to
    }
}
