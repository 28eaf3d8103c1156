// SPDX-License-Identifier: Apache-2.0

/// Which of a fetch's answer and its end comes first.
struct FetchLifeStateMachine: Sendable {
    private enum State { case running, expired, completed }
    private var state = State.running

    /// Nil: it was answered before. True for an answer in time, false after its end.
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
