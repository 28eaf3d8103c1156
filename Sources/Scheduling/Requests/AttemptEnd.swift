// SPDX-License-Identifier: Apache-2.0

/// The end of a launch of a request.
package struct AttemptEnd: Hashable, Sendable {
    /// The outcome of its task.
    package var outcome: Outcome
    /// The reason why its task was stopped; nil if it was not.
    package var reason: StopReason?
    /// "" after success.
    package var error: String
    /// The nanoseconds after which the handler asked to be launched again; no attempt is used.
    package var snooze: UInt64?

    /// An end, without an error unless it is said.
    package init(
        _ outcome: Outcome, reason: StopReason? = nil, error: String = "", snooze: UInt64? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.error = error
        self.snooze = snooze
    }
}
