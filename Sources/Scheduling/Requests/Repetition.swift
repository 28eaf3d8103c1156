// SPDX-License-Identifier: Apache-2.0

/// The dates at which a request is launched repeatedly.
///
/// Each date is counted from the previous date, not from the end of the work, so that dates do not
/// drift.
public struct Repetition: Hashable, Sendable {
    /// The rule for the sequence of dates.
    package enum Rule: Hashable, Sendable {
        /// At a fixed interval in nanoseconds.
        case every(UInt64)
        /// A cron expression, in the machine's time zone or in UTC, unless it names another.
        case cron(CronSchedule, isLocal: Bool)
    }

    /// The treatment of missed dates, which passed while no host ran or the machine slept.
    public enum CatchUp: UInt8, Sendable, CaseIterable, KebabCased {
        /// They are skipped. A date that is at most 60 seconds older than the host's start, or the
        /// machine's wake-up, is launched late instead.
        case skip = 1
        /// One launch replaces all missed dates.
        case one = 2
        /// Each of them is launched, one after another.
        case all = 3
    }

    /// The time zone that its cron expression names; nil if it names none.
    package var zoneName: String? {
        if case .cron(let schedule, _) = rule { schedule.zone } else { nil }
    }

    /// The rule for the sequence of dates.
    package var rule: Rule
    /// The treatment of missed dates.
    package var catchUp: CatchUp
    /// The maximum delay of each date in nanoseconds. A date always has the same delay.
    package var jitter: UInt64

    /// The allowed intervals, from a second to 366 days.
    package static let intervalRange: ClosedRange<UInt64> =
        1_000_000_000...31_622_400_000_000_000
    /// The maximum number of missed dates that are launched one by one; beyond it, one launch
    /// counts for all.
    package static let catchUpLimit = 1_000

    /// Creates a repetition, by default with one launch for missed dates, and without jitter.
    package init(_ rule: Rule, catchUp: CatchUp = .one, jitter: UInt64 = 0) {
        self.rule = rule
        self.catchUp = catchUp
        self.jitter = jitter
    }

    /// Returns the first date after another one, in nanoseconds since 1970; nil if there is none.
    package func next(after date: Int64, in zone: some TimeZoneRules) -> Int64? {
        switch rule {
        case .every(let interval):
            let (sum, overflow) = date.addingReportingOverflow(Int64(clamping: interval))
            return overflow ? nil : sum
        case .cron(let schedule, let isLocal):
            let second: Int64 = 1_000_000_000
            let instant = date >= 0 ? date / second : (date - second + 1) / second
            let found =
                if let other = schedule.zone.flatMap({ zone.named($0) }) {
                    schedule.next(after: instant, in: other)
                } else if isLocal {
                    schedule.next(after: instant, in: zone)
                } else {
                    schedule.next(after: instant, in: UTC())
                }
            guard let found else { return nil }
            let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: second)
            return overflow ? nil : nanoseconds
        }
    }

    /// Returns the last date that is not after `now`, and the number of dates before it from `date`
    /// on, counted up to `catchUpLimit` + 1. `date` is one of the dates and not after `now`.
    package func last(from date: Int64, upTo now: Int64, in zone: some TimeZoneRules)
        -> (date: Int64, passed: Int)
    {
        if case .every(let interval) = rule, interval > 0 {
            let passed = UInt64(now - date) / interval
            return (date + Int64(passed * interval), Int(clamping: passed))
        }
        var (last, passed) = (date, 0)
        while let next = next(after: last, in: zone), next <= now {
            last = next
            passed += 1
            guard passed <= Self.catchUpLimit else {
                return (self.last(before: now, after: last, in: zone), passed)
            }
        }
        return (last, passed)
    }

    /// Returns the last date up to `now`. Searches backwards, so that a year of minutes is not
    /// scanned.
    private func last(
        before now: Int64, after date: Int64, in zone: some TimeZoneRules
    ) -> Int64 {
        let hour: Int64 = 3_600_000_000_000
        for span in [hour, 24 * hour, 31 * 24 * hour, 366 * 24 * hour] {
            let start = max(date, now - span)
            guard var last = next(after: start, in: zone), last <= now else { continue }
            while let next = next(after: last, in: zone), next <= now { last = next }
            return last
        }
        return date
    }

    /// Returns the jitter of a date: the same for the same request and date.
    package func delay(of request: RequestID, at date: Int64) -> Int64 {
        guard jitter > 0 else { return 0 }
        return Int64(
            clamping: UInt64(
                Double(jitter) * DeterministicRandom.of(request.rawValue, UInt64(bitPattern: date)))
        )
    }
}
