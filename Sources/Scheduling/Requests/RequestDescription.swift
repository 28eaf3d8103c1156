// SPDX-License-Identifier: Apache-2.0

/// The description of a request: launch this handler after a date, on conditions.
///
/// Dates are nanoseconds since 1970 in UTC, spans are nanoseconds.
public struct RequestDescription: Hashable, Sendable {
    /// The treatment of a pending request of the same identifier. A running one continues, with its
    /// remaining attempts and dates.
    public enum OnPending: UInt8, Sendable, CaseIterable, KebabCased {
        /// The new request replaces it. Apple's modules ask for this.
        case replace = 1
        /// It stays, and the new request is not accepted.
        case keep = 2
        /// Both are launched, one after another; the default.
        case add = 3
    }

    /// The identifier of the handler.
    public var identifier: String
    /// The kind of the handler.
    public var kind: TaskKind
    /// The earliest launch date; nil for as soon as possible.
    package var earliest: Int64?
    /// The latest launch date, after which the request is missed; nil for no limit.
    package var latest: Int64?
    /// The conditions.
    public var needs: RequestNeeds
    /// The order among requests that could be launched.
    public var priority: RequestPriority
    /// The state of the machine for which it waits once it is due.
    public var opportunistic: RequestWish
    /// Its longest wait for that state, in nanoseconds, from its date on: then it is launched
    /// anyway. Nil for no limit.
    package var atMost: UInt64?
    /// The treatment of a pending request.
    public var onPending: OnPending
    /// The idempotency key. Submitting another request of the identifier with the same key returns
    /// this one, as long as it is kept: until it is finished, and then for `historyAge` and
    /// `historyCount` of `RequestLimits`.
    public var key: String?
    /// The retries after failures.
    public var retry: RetryPolicy
    /// The repetition; nil if it is launched once.
    public var repetition: Repetition?
    /// The place in a trace that its tasks go on with. It says nothing of what is to be done.
    package var trace: TraceContext?

    /// The maximum number of bytes of a key.
    package static let keyLimit = 256
    /// The allowed dates: from the beginning of 1970 to the end of 2200, in UTC.
    package static let dateRange: ClosedRange<Int64> = 0...7_289_654_399_999_999_999
    /// The range of the longest wait: up to 366 days.
    package static let atMostRange: ClosedRange<UInt64> = 1...Repetition.intervalRange.upperBound

    package init(
        _ identifier: String, kind: TaskKind = .appRefresh, earliest: Int64? = nil,
        latest: Int64? = nil, needs: RequestNeeds = [], priority: RequestPriority = .normal,
        opportunistic: RequestWish = .no, atMost: UInt64? = nil,
        onPending: OnPending = .add, key: String? = nil, retry: RetryPolicy = .none,
        repetition: Repetition? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliest = earliest
        self.latest = latest
        self.needs = needs
        self.priority = priority
        self.opportunistic = opportunistic
        self.atMost = atMost
        self.onPending = onPending
        self.key = key
        self.retry = retry
        self.repetition = repetition
    }

    /// The queue of the request while it is pending.
    package var queue: RequestQueue {
        RequestQueue(
            identifier: identifier, kind: kind, needs: needs, priority: priority,
            opportunistic: opportunistic, atMost: atMost ?? 0)
    }

    /// The reason why it cannot be used, in lower case, without full stop; nil if it can.
    package var fault: String? {
        if !HandlerDescription.isIdentifier(identifier) {
            return
                "\"\(identifier)\" is not an identifier: write a reverse-DNS name such as org.example.tidy"
        }
        for (name, date) in [("earliest", earliest), ("latest", latest)] {
            if let date, !Self.dateRange.contains(date) {
                return "the \(name) beginning is not in the years 1970 to 2200 of UTC"
            }
        }
        if let latest, let earliest, latest < earliest {
            return "the latest beginning is before the earliest: it could never be launched"
        }
        if !RequestNeeds.all.isSuperset(of: needs) { return "it needs something unknown" }
        if let atMost {
            if opportunistic == .no {
                return "the longest wait is about a request that waits for a quiet machine"
            }
            if !Self.atMostRange.contains(atMost) {
                return "the longest wait must be at most 366 days"
            }
        }
        if let key, key.isEmpty || key.utf8.count > Self.keyLimit {
            return "the key must have 1…\(Self.keyLimit) bytes"
        }
        if let key, key.utf8.contains(0) { return "the key must not have a NUL" }
        return retryFault ?? repetitionFault
    }

    private var retryFault: String? {
        guard RetryPolicy.attemptsRange.contains(retry.attempts) else {
            return "\(retry.attempts) attempts are not in 1…100"
        }
        if !(0...1).contains(retry.jitter) { return "the jitter of the pauses must be in 0…1" }
        guard retry.attempts > 1 else { return nil }
        if !RetryPolicy.pauseRange.contains(retry.base)
            || !RetryPolicy.pauseRange.contains(retry.longest)
        {
            return "the pauses between attempts must be in 1 s…7 days"
        }
        if retry.longest < retry.base { return "the longest pause is shorter than the first one" }
        return nil
    }

    private var repetitionFault: String? {
        guard let repetition else { return nil }
        if latest != nil {
            return
                "a request that is repeated has no latest beginning: say with catch-up what becomes of dates that passed"
        }
        if case .every(let interval) = repetition.rule,
            !Repetition.intervalRange.contains(interval)
        {
            return "the interval must be in 1 s…366 days"
        }
        if repetition.jitter > Repetition.intervalRange.upperBound {
            return "the jitter of the dates must be at most 366 days"
        }
        return nil
    }
}

extension RequestDescription {
    /// Returns whether two descriptions are equal, given that dates count from each submission.
    func isSame(as other: RequestDescription) -> Bool {
        var (a, b) = (self, other)
        b.trace = a.trace
        for key in [\RequestDescription.earliest, \.latest] where a[keyPath: key] != nil {
            guard b[keyPath: key] != nil else { return false }
            b[keyPath: key] = a[keyPath: key]
        }
        return a == b
    }
}
