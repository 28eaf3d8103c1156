// SPDX-License-Identifier: Apache-2.0
public import Scheduling

extension RequestDescription {
    /// Describes a launch of a handler.
    ///
    /// - Parameters:
    ///   - identifier: the handler to launch.
    ///   - kind: its kind.
    ///   - notBefore: the earliest date; nil for at once.
    ///   - deadline: the latest date; a request that is not launched by then is missed.
    ///   - needs: what the machine has to have while the task runs.
    ///   - priority: which of several requests goes first.
    ///   - onPending: what becomes of a pending request of the same identifier.
    ///   - key: submitting another request of the identifier with the same key returns this one.
    ///   - retry: what follows a failure.
    ///   - repetition: the dates of further launches; nil for one launch.
    public init(
        for identifier: String, kind: TaskKind = .appRefresh, notBefore: Instant? = nil,
        deadline: Instant? = nil, needs: RequestNeeds = [], priority: RequestPriority = .normal,
        onPending: OnPending = .replace, key: String? = nil, retry: RetryPolicy = .none,
        repetition: Repetition? = nil
    ) {
        self.init(
            identifier, kind: kind, earliest: notBefore?.nanosecondsSince1970,
            latest: deadline?.nanosecondsSince1970, needs: needs, priority: priority,
            onPending: onPending, key: key, retry: retry, repetition: repetition)
    }

    /// The earliest date of its launch; nil for at once.
    public var notBefore: Instant? {
        get { earliest.map(Instant.init(nanosecondsSince1970:)) }
        set { earliest = newValue?.nanosecondsSince1970 }
    }

    /// The latest date of its launch; nil for any.
    public var deadline: Instant? {
        get { latest.map(Instant.init(nanosecondsSince1970:)) }
        set { latest = newValue?.nanosecondsSince1970 }
    }
}

extension RetryPolicy {
    /// Launches a request again after a failure, with pauses that double from `initialDelay` to
    /// `maximum`.
    ///
    /// - Parameters:
    ///   - attempts: launches in all, 1…100.
    ///   - initialDelay: the pause before the second launch, 1 s…7 days.
    ///   - maximum: the longest pause, 1 s…7 days.
    ///   - jitter: the part of a pause that is left to chance, 0…1, so that requests that failed
    ///     together do not come back together.
    public static func exponential(
        attempts: UInt32, initialDelay: Duration = .seconds(30), maximum: Duration = .hours(6),
        jitter: Double = 0.2
    ) -> RetryPolicy {
        RetryPolicy(
            attempts: attempts, base: initialDelay.inNanoseconds, longest: maximum.inNanoseconds,
            jitter: jitter)
    }
}

extension Repetition {
    /// Repeats a launch at an interval of 1 s…366 days, counted from date to date.
    ///
    /// - Parameters:
    ///   - catchUp: what becomes of dates that passed while the host was not running.
    ///   - jitter: each date is moved later by a part of this, always the same part.
    public static func every(
        _ interval: Duration, catchUp: CatchUp = .one, jitter: Duration = .zero
    ) -> Repetition {
        Repetition(
            .every(interval.inNanoseconds), catchUp: catchUp, jitter: jitter.inNanoseconds)
    }

    /// Repeats a launch at the dates of a cron expression, in the machine's time zone or in UTC.
    ///
    /// Throws `.invalid` for what is no cron expression.
    public static func cron(
        _ expression: String, inUTC: Bool = false, catchUp: CatchUp = .one,
        jitter: Duration = .zero
    ) throws(CurfewError) -> Repetition {
        do throws(CronFault) {
            return Repetition(
                .cron(try CronSchedule(expression), isLocal: !inUTC), catchUp: catchUp,
                jitter: jitter.inNanoseconds)
        } catch {
            let place = error.field?.rawValue ?? "expression"
            throw CurfewError(
                .invalid, "\"\(expression)\": the \(place) \(error.message): \(error.help)")
        }
    }
}
