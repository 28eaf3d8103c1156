// SPDX-License-Identifier: Apache-2.0

/// The end of a launch of a request.
public struct AttemptEnd: Hashable, Sendable {
    /// The outcome of its task.
    public var outcome: Outcome
    /// The reason why its task was stopped; nil if it was not.
    public var reason: StopReason?
    /// "" after success.
    public var error: String
    /// The nanoseconds after which the handler asked to be launched again; no attempt is used.
    public var snooze: UInt64?

    /// An end, without an error unless it is said.
    public init(
        _ outcome: Outcome, reason: StopReason? = nil, error: String = "", snooze: UInt64? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.error = error
        self.snooze = snooze
    }
}
