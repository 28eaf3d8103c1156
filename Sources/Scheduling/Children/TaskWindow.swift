// SPDX-License-Identifier: Apache-2.0

/// The tasks of one handler that are offered to a plugin's process, in order.
///
/// A task is *offered* until the process takes it or the host recalls it; a *taken* one stays until its
/// function has returned. Only the first `places` tasks have their turn: a process runs no more at a
/// time, so that the others wait for one of those to return.
package struct TaskWindow: Sendable {
    package enum State: UInt8, Sendable {
        /// It has returned, or was recalled.
        case gone
        case offered
        case taken
    }

    @usableFromInline let limit: UInt64
    private let places: Int
    /// By position modulo their number.
    private var tasks: [UInt64]
    private var states: [State]
    /// The position of the first task that is not gone.
    package private(set) var head: UInt64 = 0
    /// The number of tasks ever offered.
    package private(set) var tail: UInt64 = 0
    /// Offered and taken tasks.
    package private(set) var count = 0
    /// Up to this position tasks have had their turn.
    private var turned: UInt64 = 0
    /// Those of `count` below `turned`.
    private var turnedCount = 0

    /// - Parameters:
    ///   - limit: the number of positions, a power of two.
    ///   - places: tasks that may run at a time.
    package init(limit: Int, places: Int) {
        self.limit = UInt64(limit)
        self.places = places
        tasks = [UInt64](repeating: 0, count: limit)
        states = [State](repeating: .gone, count: limit)
    }

    private func index(_ position: UInt64) -> Int { Int(position & (limit - 1)) }

    @inlinable package var hasRoom: Bool { tail - head < limit }

    @inlinable package var isEmpty: Bool { count == 0 }

    /// Offers a task. There must be room. Returns its position.
    package mutating func offer(_ task: UInt64) -> UInt64 {
        precondition(hasRoom, "a window has no room for a task")
        let position = tail
        tasks[index(position)] = task
        states[index(position)] = .offered
        tail += 1
        count += 1
        return position
    }

    /// The task at a position and its state, or nil if none is there.
    package subscript(position: UInt64) -> (task: UInt64, state: State)? {
        guard position >= head, position < tail, states[index(position)] != .gone else {
            return nil
        }
        return (tasks[index(position)], states[index(position)])
    }

    /// The position of a task, or nil if it is not here.
    package func position(of task: UInt64) -> UInt64? {
        var position = head
        while position < tail {
            if tasks[index(position)] == task, states[index(position)] != .gone { return position }
            position += 1
        }
        return nil
    }

    /// The process has taken a task.
    package mutating func take(_ position: UInt64) {
        precondition(self[position]?.state == .offered, "only an offered task is taken")
        states[index(position)] = .taken
    }

    /// A task has returned, or was recalled.
    package mutating func remove(_ position: UInt64) {
        precondition(self[position] != nil, "a task leaves a window once")
        states[index(position)] = .gone
        count -= 1
        if position < turned { turnedCount -= 1 }
        while head < tail, states[index(head)] == .gone { head += 1 }
        if turned < head { turned = head }
    }

    /// Returns an offered task that has its turn now and has not had it before, with its position; call
    /// again until there is none. A task that was found taken before its turn has begun already.
    package mutating func nextTurn() -> (task: UInt64, position: UInt64)? {
        while turned < tail, turnedCount < places {
            let position = turned
            turned += 1
            guard states[index(position)] != .gone else { continue }
            turnedCount += 1
            guard states[index(position)] == .offered else { continue }
            return (tasks[index(position)], position)
        }
        return nil
    }

    /// All offered and taken tasks, oldest first.
    package var all: [(task: UInt64, position: UInt64, state: State)] {
        (head..<tail).compactMap { position in
            self[position].map { ($0.task, position, $0.state) }
        }
    }
}
