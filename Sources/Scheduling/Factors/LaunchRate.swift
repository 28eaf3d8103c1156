// SPDX-License-Identifier: Apache-2.0

/// The limit on launches of one handler.
///
/// There is a minimum time between two launches. A handler that did not complete in time rests
/// longer: `penalty` the first time, doubled for each further miss in a row, up to
/// `longestPenalty`. One success resets the misses.
///
/// Requests without a date have a further limit, since such a request would be launched as fast as
/// its handler submits the next one. The floor between their launches grows with use: a second
/// after the first launch, doubled after each further one, up to `floor`. It resets after `2 *
/// floor` without a launch.
///
/// Times are on the clock of `Moment.span`, which restarts with the machine, so a rate is kept in
/// memory and not stored. A host that starts reads the launches without a date from the history.
package struct LaunchRate: Hashable, Sendable {
    /// The minimum nanoseconds between two launches.
    package var spacing: UInt64
    /// The nanoseconds of rest after the first missed completion; 0 for no penalties.
    package var penalty: UInt64
    /// The longest rest after a missed completion, in nanoseconds.
    package var longestPenalty: UInt64
    /// The longest floor between launches of requests without a date, in nanoseconds; 0 for none.
    package var floor: UInt64

    /// The number of missed completions since the last success.
    package private(set) var misses: UInt32 = 0
    private var lastLaunch: UInt64?
    private var lastMiss: UInt64?
    /// The number of launches of requests without a date, in a row.
    private var undated: UInt32 = 0
    private var lastUndated: UInt64?

    private static let firstFloor: UInt64 = 1_000_000_000

    /// Creates a rate. Defaults: no spacing and no floor; five minutes of rest after a miss, at
    /// most a day.
    package init(
        spacing: UInt64 = 0, penalty: UInt64 = 300_000_000_000,
        longestPenalty: UInt64 = 86_400_000_000_000, floor: UInt64 = 0
    ) {
        self.spacing = spacing
        self.penalty = penalty
        self.longestPenalty = longestPenalty
        self.floor = floor
    }

    /// The rate in words for `init(words:)`, without the floor; nil if the handler does not rest.
    func words(at now: UInt64) -> [String]? {
        guard restsUntil(now) != nil else { return nil }
        return [spacing, penalty, lastLaunch ?? 0, lastMiss ?? 0, UInt64(misses)].map { "\($0)" }
    }

    /// Reads words that `words(at:)` returned; nil if they are malformed.
    init?(words: [String]) {
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == 5, numbers.count == words.count,
            let misses = UInt32(exactly: numbers[4])
        else { return nil }
        self.init(spacing: numbers[0], penalty: numbers[1])
        lastLaunch = numbers[2]
        lastMiss = misses == 0 ? nil : numbers[3]
        self.misses = misses
    }

    /// Takes over the limits of another rate, and keeps what was noted of the handler.
    mutating func takeLimits(of other: LaunchRate) {
        (spacing, penalty) = (other.spacing, other.penalty)
        (longestPenalty, floor) = (other.longestPenalty, other.floor)
    }

    /// Notes a launch of the handler; `isUndated` means that its request has no date.
    package mutating func launched(at span: UInt64, isUndated: Bool = false) {
        lastLaunch = max(lastLaunch ?? 0, span)
        guard isUndated, floor > 0 else { return }
        if let last = lastUndated, span > Self.sum(last, Self.sum(floor, floor)) { undated = 0 }
        if undated < 64 { undated += 1 }
        lastUndated = max(lastUndated ?? 0, span)
    }

    /// Notes that a task did not complete in time, or was abandoned.
    package mutating func missed(at span: UInt64) {
        if misses < .max { misses += 1 }
        lastMiss = max(lastMiss ?? 0, span)
    }

    /// Notes a success, which resets the misses.
    package mutating func succeeded() {
        misses = 0
        lastMiss = nil
    }

    /// Returns when the handler may be launched again, on the same clock; nil for now.
    package func restsUntil(_ now: UInt64) -> UInt64? {
        let end = max(endOfSpacing ?? 0, endOfPenalty ?? 0)
        return end > now ? end : nil
    }

    /// Returns when a request without a date may be launched, on the same clock; nil for now.
    package func holdsUndatedUntil(_ now: UInt64) -> UInt64? {
        guard let last = lastUndated else { return nil }
        let end = Self.sum(last, Self.doubled(Self.firstFloor, undated - 1, upTo: floor))
        return end > now ? end : nil
    }

    /// Returns why and for how long it rests, lower case, no full stop. Nil if it does not rest.
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

    /// The rest after the last miss.
    private var rest: UInt64 {
        Self.doubled(penalty, misses == 0 ? 0 : misses - 1, upTo: longestPenalty)
    }

    /// Returns the span, doubled the given number of times.
    private static func doubled(_ span: UInt64, _ times: UInt32, upTo longest: UInt64) -> UInt64 {
        let (doubled, overflow) = span.multipliedReportingOverflow(by: 1 << UInt64(min(times, 63)))
        return overflow ? longest : min(doubled, longest)
    }

    /// Returns the sum, at most the largest number.
    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
