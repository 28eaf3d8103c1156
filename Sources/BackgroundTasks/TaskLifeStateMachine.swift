// SPDX-License-Identifier: Apache-2.0

/// Which of completion and expiration comes first. Each answers once, and nothing follows a completion.
struct TaskLifeStateMachine {
    private enum State { case running, expired, completed }
    private var state = State.running

    /// Whether the task has neither been stopped nor completed.
    var isOpen: Bool { state == .running }

    /// True for the one completion that counts; also after expiration.
    mutating func complete() -> Bool {
        guard state != .completed else { return false }
        state = .completed
        return true
    }

    /// True for the one expiration that counts.
    mutating func expire() -> Bool {
        guard state == .running else { return false }
        state = .expired
        return true
    }
}
