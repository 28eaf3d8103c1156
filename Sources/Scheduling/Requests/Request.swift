// SPDX-License-Identifier: Apache-2.0

/// A request as its store has it, besides its payload.
///
/// Dates are nanoseconds since 1970 in UTC.
public struct Request: Hashable, Sendable {
    /// Properties of a request besides its state. Earlier versions used 2.
    package struct Marks: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The request is cancelled once its task is over.
        package static let cancelled = Marks(rawValue: 1)
        /// While pending: it has no date, and was delayed because such requests of its identifier
        /// were launched recently. It is delayed only once.
        package static let floored = Marks(rawValue: 4)
        /// A handler submitted it, and did not say that it is one of many: it could be its own next
        /// launch.
        package static let fromHandler = Marks(rawValue: 8)
        /// While running: its schedule was changed or removed, and the request ends with its task.
        package static let superseded = Marks(rawValue: 16)
    }

    /// The number of the request; 0 before the store has accepted it.
    public package(set) var id: RequestID
    /// The description that was submitted.
    public package(set) var description: RequestDescription
    /// The user who has submitted it to the host of another user; nil: the store's own user.
    package var owner: UInt32?
    /// The length of its payload.
    package var payloadBytes: Int
    /// The date of the submission.
    package var submittedAt: Int64

    /// The state of the request.
    public package(set) var state: RequestState
    /// Properties of the request besides its state.
    package var marks: Marks
    /// While pending: the date from which it may be launched.
    package var notBefore: Int64
    /// While pending: the pause from which that date was computed; nil if it does not come from a
    /// pause.
    package var pause: Pause?
    /// While pending: the origin of that date.
    package var reason: PendingReason
    /// For a repeated request, the current date, without jitter and pauses.
    package var nominal: Int64
    /// The number of attempts for this date.
    public package(set) var attempts: UInt32
    /// The number of all launches, which is the number of the running one. An end has to name it.
    package var launches: UInt64
    /// The number of launches in a row that ended with a crash of the process.
    package var crashes: UInt32
    /// The outcome of the last task.
    public package(set) var outcome: Outcome?
    /// The date of the last change of its state.
    package var changedAt: Int64

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

    /// Whether the request asked to be launched as soon as possible, and counts for the throttle. A
    /// date in the past counts as none; a repeated request can ask so for its first launch, which is
    /// still known right after it began. Requests that are added to others are a queue of work and
    /// are not delayed, unless a handler submitted them; neither are requests that a user waits for.
    package var isUndated: Bool {
        reason == .submitted
            && (description.onPending != .add || marks.contains(.fromHandler))
            && description.kind != .continuedProcessing
            && (description.earliest ?? 0) <= submittedAt
            && (description.repetition == nil || launches <= 1 && nominal <= submittedAt)
    }

    /// The queue of the request while it is pending.
    package var queue: RequestQueue { description.queue }
}
