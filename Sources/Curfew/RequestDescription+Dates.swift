// SPDX-License-Identifier: Apache-2.0
public import Scheduling

extension RequestDescription {
    /// Describes a launch of a handler.
    ///
    /// - Parameters:
    ///   - identifier: the handler to launch.
    ///   - kind: its kind.
    ///   - notBefore: the earliest launch date; nil for as soon as possible.
    ///   - deadline: the latest launch date, after which the request is missed.
    ///   - needs: the conditions for the launch, which must hold while the task runs.
    ///   - priority: the order among requests that could be launched.
    ///   - opportunistic: the state of the machine for which it waits once it is due; by default it
    ///     is launched when it is due and its needs hold.
    ///   - longestWait: the longest wait for that state; nil for no limit.
    ///   - onPending: the treatment of a pending request of the same identifier.
    ///   - key: the idempotency key; submitting it again returns the existing request.
    ///   - retry: the retries after a failure; nil for none, as in Apple's system.
    ///   - repetition: the dates of further launches; nil for one launch.
    public init(
        for identifier: String, kind: TaskKind = .appRefresh, notBefore: Instant? = nil,
        deadline: Instant? = nil, needs: RequestNeeds = [], priority: RequestPriority = .normal,
        opportunistic: RequestWish = .no, longestWait: Duration? = nil, onPending: OnPending = .add,
        key: String? = nil, retry: RetryPolicy? = nil,
        repetition: Repetition? = nil
    ) {
        self.init(
            identifier, kind: kind, earliest: notBefore?.nanosecondsSince1970,
            latest: deadline?.nanosecondsSince1970, needs: needs, priority: priority,
            opportunistic: opportunistic, atMost: longestWait?.inNanoseconds, onPending: onPending,
            key: key, retry: retry ?? .none, repetition: repetition)
    }

    /// The earliest date of its launch; nil for as soon as possible.
    public var notBefore: Instant? {
        get { earliest.map(Instant.init(nanosecondsSince1970:)) }
        set { earliest = newValue?.nanosecondsSince1970 }
    }

    /// The longest wait for the state of the machine that `opportunistic` names; nil for no limit.
    public var longestWait: Duration? {
        get { atMost.map(Duration.init(inNanoseconds:)) }
        set { atMost = newValue?.inNanoseconds }
    }

    /// The latest date of its launch; nil for no limit.
    public var deadline: Instant? {
        get { latest.map(Instant.init(nanosecondsSince1970:)) }
        set { latest = newValue?.nanosecondsSince1970 }
    }
}

extension RetryPolicy {
    /// Retries a request after a failure, with delays that double from `initialDelay` to `maximum`.
    ///
    /// - Parameters:
    ///   - attempts: the total number of launches, 1…100.
    ///   - initialDelay: the delay before the second launch, 1 s…7 days.
    ///   - maximum: the longest delay before jitter, 1 s…7 days.
    ///   - jitter: the part of a delay that is added to it at random, 0…1, so that requests that failed together are not
    ///     retried together.
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
    ///   - interval: the duration from a date to the next one.
    ///   - catchUp: the treatment of dates that passed while the host was not running.
    ///   - jitter: the longest delay of a date; a date always has the same delay.
    public static func every(
        _ interval: Duration, catchUp: CatchUp = .one, jitter: Duration = .zero
    ) -> Repetition {
        Repetition(
            .every(interval.inNanoseconds), catchUp: catchUp, jitter: jitter.inNanoseconds)
    }

    /// Repeats a launch at the dates of a cron expression, in the machine's time zone or in UTC;
    /// or in another zone, which the expression names: `CRON_TZ=Europe/Berlin 30 4 * * 1`.
    ///
    /// Throws `.invalid` if the expression is malformed.
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
