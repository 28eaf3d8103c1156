// SPDX-License-Identifier: Apache-2.0

/// How a launch of a request ended.
public struct AttemptEnd: Hashable, Sendable {
    /// How its task ended.
    public var outcome: Outcome
    /// Why its task was told to stop; nil: it was not.
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
