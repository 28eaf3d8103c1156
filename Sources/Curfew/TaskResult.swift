// SPDX-License-Identifier: Apache-2.0

/// The end of a task: its outcome, and the text and bytes that its handler left.
public struct TaskResult: Hashable, Sendable {
    /// The outcome.
    public let outcome: Outcome
    /// The reason why the task was stopped; nil if it was not.
    public let stopReason: StopReason?
    /// The text of its done event, "" after success.
    public let error: String
    /// The handler's own text after a failure or a stop, even if the done event carries the host's
    /// text; nil if it left none.
    public let answer: String?
    /// The bytes of its completion.
    public let bytes: [UInt8]
}
