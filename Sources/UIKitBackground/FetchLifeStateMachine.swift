// SPDX-License-Identifier: Apache-2.0

/// Which of a fetch's answer and its end comes first.
struct FetchLifeStateMachine: Sendable {
    private enum State { case running, expired, completed }
    private var state = State.running

    /// Returns true for a completion in time, false for one after the end, nil if it was completed
    /// before.
    mutating func complete() -> Bool? {
        guard state != .completed else { return nil }
        defer { state = .completed }
        return state == .running
    }

    /// True the first time, where there was no answer.
    mutating func expire() -> Bool {
        guard state == .running else { return false }
        state = .expired
        return true
    }
}
