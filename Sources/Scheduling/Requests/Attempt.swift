// SPDX-License-Identifier: Apache-2.0

/// A launch of a request, in its history.
///
/// Dates are nanoseconds since 1970 in UTC.
public struct Attempt: Hashable, Sendable {
    /// The request it is a launch of.
    package var request: RequestID
    /// The number of the launch among all launches of the request, from 1. An end that names
    /// another launch is rejected.
    package var launch: UInt64
    /// The number of the attempt, from 1; interrupted and snoozed launches do not count.
    public package(set) var number: UInt32
    /// The host that ran the task.
    package var host: HostIdentity
    /// The date of the launch.
    package var startedAt: Int64
    /// The date of the end; nil while it runs.
    package var endedAt: Int64?
    /// The outcome of its task.
    public package(set) var outcome: Outcome?
    /// The reason why its task was stopped; nil if it was not.
    public package(set) var reason: StopReason?
    /// The handler's error text, or the reason why the host ended the task; "" after success.
    public package(set) var error: String
    /// The end of its log, its result, its progress and the resources it used.
    package var record = AttemptRecord()

    package init(
        request: RequestID, launch: UInt64, number: UInt32, host: HostIdentity, startedAt: Int64
    ) {
        self.request = request
        self.launch = launch
        self.number = number
        self.host = host
        self.startedAt = startedAt
        error = ""
    }

    /// The last lines of its log, without control characters: at most 50 lines and 8 KiB.
    public var log: [String] { record.log.lines }
    /// The first 4 KiB of its result; "" if it has none, or the result is no text.
    public var result: String { record.result }

    /// Returns whether the attempt ended with exactly this end.
    func isEnded(as end: AttemptEnd) -> Bool {
        endedAt != nil && outcome == end.outcome && reason == end.reason && error == end.error
    }

    /// Nanoseconds from its launch to its end; nil while it runs, and if its host ended while it ran, so that the date of its
    /// end is unknown.
    package var duration: UInt64? {
        guard let endedAt, endedAt >= startedAt, outcome != .interrupted || reason != nil else {
            return nil
        }
        return UInt64(endedAt - startedAt)
    }

    /// Ends the attempt.
    package mutating func end(_ end: AttemptEnd, at date: Int64) {
        endedAt = date
        outcome = end.outcome
        reason = end.reason
        error = end.error
        record = end.record
    }
}
