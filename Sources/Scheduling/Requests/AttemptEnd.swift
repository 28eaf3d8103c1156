// SPDX-License-Identifier: Apache-2.0

/// The end of a launch of a request.
package struct AttemptEnd: Hashable, Sendable {
    /// The outcome of its task.
    package var outcome: Outcome
    /// The reason why its task was stopped; nil if it was not.
    package var reason: StopReason?
    /// The error text; "" after success.
    package var error: String
    /// The nanoseconds after which the handler asked to be launched again, without using an
    /// attempt; nil if it did not.
    package var snooze: UInt64?
    /// The data of the task that its history keeps.
    package var record: AttemptRecord

    /// Creates an end, by default without an error.
    package init(
        _ outcome: Outcome, reason: StopReason? = nil, error: String = "", snooze: UInt64? = nil,
        record: AttemptRecord = AttemptRecord()
    ) {
        self.outcome = outcome
        self.reason = reason
        self.error = error
        self.snooze = snooze
        self.record = record
    }
}
