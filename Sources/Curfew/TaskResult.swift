// SPDX-License-Identifier: Apache-2.0

/// The end of a task: its outcome, and what its handler left behind.
public struct TaskResult: Hashable, Sendable {
    /// How it ended.
    public let outcome: Outcome
    /// Why it was told to stop; nil where it was not.
    public let stopReason: StopReason?
    /// The text of its done event, "" after success.
    public let error: String
    /// The handler's own text when it failed or was stopped, also where the done event carries the
    /// host's; nil when it gave none.
    public let answer: String?
    /// The bytes it was completed with.
    public let bytes: [UInt8]
}
