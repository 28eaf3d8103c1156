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
    /// The process of its plugin ended, and its task is one of several that may have done it: it uses no attempt, and the
    /// request is launched alone the next times.
    package var isSuspect: Bool
    /// The data of the task that its history keeps.
    package var record: AttemptRecord
    /// The nanoseconds for which its task ran; 0 if it did not begin, or nobody knows.
    package var elapsed: UInt64
    /// The budget of its task, in nanoseconds; 0 if unknown.
    package var budget: UInt64
    /// False if its task was told to stop and did not answer within its grace.
    package var isAnswered: Bool

    /// Creates an end, by default without an error.
    package init(
        _ outcome: Outcome, reason: StopReason? = nil, error: String = "", snooze: UInt64? = nil,
        isSuspect: Bool = false,
        record: AttemptRecord = AttemptRecord(), elapsed: UInt64 = 0, budget: UInt64 = 0,
        isAnswered: Bool = true
    ) {
        self.elapsed = elapsed
        self.budget = budget
        self.isAnswered = isAnswered
        self.outcome = outcome
        self.reason = reason
        self.error = error
        self.snooze = snooze
        self.isSuspect = isSuspect
        self.record = record
    }
}
