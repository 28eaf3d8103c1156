// SPDX-License-Identifier: Apache-2.0

/// The limit on launches of one handler.
///
/// There is a least time between two launches. A handler that did not complete in time rests longer:
/// `penalty` the first time, twice that for each further miss in a row, up to `longestPenalty`. One
/// success forgives them all.
///
/// The limit on launches of requests without a date. Such a request would be launched as fast as
/// its handler submits the next one. So there is a floor between launches, which grows with use: a
/// second after the first launch, twice that after each further one, up to `floor`. It resets once
/// none was launched for twice the `floor`.
///
/// Times are on the clock of `Moment.span`, which restarts with the machine: a rate is kept in
/// memory and not stored. When a host begins, it reads the launches without a date from the
/// history.
package struct LaunchRate: Hashable, Sendable {
    /// Nanoseconds from one launch to the next, at least.
    package var spacing: UInt64
    /// Nanoseconds of rest after the first missed completion; 0 for no penalties.
    package var penalty: UInt64
    /// No rest after a missed completion is longer, in nanoseconds.
    package var longestPenalty: UInt64
    /// The longest time from a launch of a request without a date to the next one, in nanoseconds; 0
    /// for none.
    package var floor: UInt64

    /// Missed completions since the last success.
    package private(set) var misses: UInt32 = 0
    private var lastLaunch: UInt64?
    private var lastMiss: UInt64?
    /// Launches of requests without a date, in a row.
    private var undated: UInt32 = 0
    private var lastUndated: UInt64?

    private static let firstFloor: UInt64 = 1_000_000_000

    /// No spacing and no floor; five minutes of rest after a miss, and at most a day.
    package init(
        spacing: UInt64 = 0, penalty: UInt64 = 300_000_000_000,
        longestPenalty: UInt64 = 86_400_000_000_000, floor: UInt64 = 0
    ) {
        self.spacing = spacing
        self.penalty = penalty
        self.longestPenalty = longestPenalty
        self.floor = floor
    }

    /// A task of the handler was launched; `isUndated`: its request asked for no date.
    package mutating func launched(at span: UInt64, isUndated: Bool = false) {
        lastLaunch = max(lastLaunch ?? 0, span)
        guard isUndated, floor > 0 else { return }
        if let last = lastUndated, span > Self.sum(last, Self.sum(floor, floor)) { undated = 0 }
        if undated < 64 { undated += 1 }
        lastUndated = max(lastUndated ?? 0, span)
    }

    /// A task's time was over without an answer, or the task was abandoned.
    package mutating func missed(at span: UInt64) {
        if misses < .max { misses += 1 }
        lastMiss = max(lastMiss ?? 0, span)
    }

    /// A task succeeded: what was missed before is forgiven.
    package mutating func succeeded() {
        misses = 0
        lastMiss = nil
    }

    /// When the handler may be launched again, on the same clock; nil: now.
    package func restsUntil(_ now: UInt64) -> UInt64? {
        let end = max(endOfSpacing ?? 0, endOfPenalty ?? 0)
        return end > now ? end : nil
    }

    /// When a request without a date may be launched, on the same clock; nil: now.
    package func holdsUndatedUntil(_ now: UInt64) -> UInt64? {
        guard let last = lastUndated else { return nil }
        let end = Self.sum(last, Self.doubled(Self.firstFloor, undated - 1, upTo: floor))
        return end > now ? end : nil
    }

    /// Why it rests, and for how long: lower case, no full stop. Nil where it does not rest.
    package func reason(at now: UInt64) -> String? {
        guard let end = restsUntil(now) else { return nil }
        let left = "\(SpanText(nanoseconds: end - now)) left"
        guard end == endOfPenalty else {
            return "launched at most once in \(SpanText(nanoseconds: spacing)), \(left)"
        }
        return misses == 1
            ? "its last task was not completed in time, \(left)"
            : "\(misses) tasks in a row were not completed in time, \(left)"
    }

    private var endOfSpacing: UInt64? { lastLaunch.map { Self.sum($0, spacing) } }
    private var endOfPenalty: UInt64? { lastMiss.map { Self.sum($0, rest) } }

    /// After the last miss.
    private var rest: UInt64 {
        Self.doubled(penalty, misses == 0 ? 0 : misses - 1, upTo: longestPenalty)
    }

    /// Returns the span, doubled the given number of times.
    private static func doubled(_ span: UInt64, _ times: UInt32, upTo longest: UInt64) -> UInt64 {
        let (doubled, overflow) = span.multipliedReportingOverflow(by: 1 << UInt64(min(times, 63)))
        return overflow ? longest : min(doubled, longest)
    }

    /// Or the largest number there is.
    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
