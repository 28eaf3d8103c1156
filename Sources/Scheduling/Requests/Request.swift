// SPDX-License-Identifier: Apache-2.0

/// A request as its store has it, besides its payload.
///
/// Dates are nanoseconds since 1970 in UTC.
public struct Request: Hashable, Sendable {
    /// Properties of a request besides its state. Earlier versions used 2.
    package struct Marks: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Cancel the request once its task is over.
        package static let cancelled = Marks(rawValue: 1)
        /// While pending: it asks for no date, and was put off because such requests of its identifier
        /// were launched lately. That is done once.
        package static let floored = Marks(rawValue: 4)
    }

    /// 0 before the store has taken it in.
    public var id: RequestID
    /// The description that was submitted.
    public var description: RequestDescription
    /// The length of its payload.
    package var payloadBytes: Int
    /// When it was taken in.
    package var submittedAt: Int64

    /// The state of the request.
    public var state: RequestState
    /// Properties of the request besides its state.
    package var marks: Marks
    /// While pending: when it may be launched.
    package var notBefore: Int64
    /// While pending: the span that date was computed from; nil: it is a date and nothing else.
    package var pause: Pause?
    /// While pending: where that date comes from.
    package var reason: PendingReason
    /// For a repeated request, the current date, without jitter and pauses.
    package var nominal: Int64
    /// Attempts that this date has used.
    public var attempts: UInt32
    /// Launches there ever were; the number of the one that runs, which its end has to name.
    package var launches: UInt64
    /// Launches in a row that did not live to see their end, with the process.
    package var crashes: UInt32
    /// The outcome of the last task.
    public var outcome: Outcome?
    /// When its state changed last.
    package var changedAt: Int64

    /// A request that is pending from now on.
    package init(
        _ description: RequestDescription, payloadBytes: Int, at now: Int64,
        notBefore: Int64
    ) {
        id = RequestID(rawValue: 0)
        self.description = description
        self.payloadBytes = payloadBytes
        submittedAt = now
        state = .pending
        marks = []
        self.notBefore = notBefore
        pause = nil
        reason = .submitted
        nominal = notBefore
        attempts = 0
        launches = 0
        crashes = 0
        outcome = nil
        changedAt = now
    }

    /// Whether the request asked to be launched as soon as possible. A date in the past counts as
    /// none; a repeated request can ask so for its first launch, which is still known right after
    /// it began. Requests that are added to others are a queue of work and are not delayed; neither
    /// are requests that a user waits for.
    package var isUndated: Bool {
        reason == .submitted && description.onPending != .add
            && description.kind != .continuedProcessing
            && (description.earliest ?? 0) <= submittedAt
            && (description.repetition == nil || launches <= 1 && nominal <= submittedAt)
    }

    /// Its place among the pending ones.
    package var queue: RequestQueue {
        RequestQueue(
            identifier: description.identifier, kind: description.kind, needs: description.needs,
            priority: description.priority)
    }
}
