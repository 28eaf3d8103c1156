// SPDX-License-Identifier: Apache-2.0

/// The retries of a request after failures.
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of launches; 1 for no retry, as in Apple's system.
    package var attempts: UInt32
    /// The nanoseconds before the second launch.
    package var base: UInt64
    /// The longest delay before jitter, in nanoseconds.
    package var longest: UInt64
    /// The part of a delay that is added to it at random, 0 to 1: requests that failed together are not retried together.
    package var jitter: Double

    /// No retry, as in Apple's system.
    package static let none = RetryPolicy(attempts: 1, base: 0, longest: 0, jitter: 0)

    /// The range of attempts.
    package static let attemptsRange: ClosedRange<UInt32> = 1...100
    /// The range of delays, from a second to a week.
    package static let pauseRange: ClosedRange<UInt64> = 1_000_000_000...604_800_000_000_000

    package init(
        attempts: UInt32, base: UInt64 = 30_000_000_000, longest: UInt64 = 21_600_000_000_000,
        jitter: Double = 0.2
    ) {
        self.attempts = attempts
        self.base = base
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the nanoseconds from the end of an attempt to the next one; nil after the last
    /// attempt.
    ///
    /// The delay doubles with each attempt up to the longest; then up to `jitter` of it is added, so
    /// that no delay is shorter than the policy says.
    ///
    /// - Parameters:
    ///   - attempt: the number of the ended attempt, from 1.
    ///   - chance: the position within the jitter, 0 to 1.
    package func pause(after attempt: UInt32, chance: Double) -> UInt64? {
        guard attempt >= 1, attempt < attempts else { return nil }
        var pause = min(base, longest)
        for _ in 1..<attempt {
            let (doubled, overflow) = pause.multipliedReportingOverflow(by: 2)
            pause = overflow ? longest : min(doubled, longest)
            if pause == longest { break }
        }
        let share = min(max(jitter, 0), 1) * min(max(chance, 0), 1)
        let more = UInt64(exactly: (Double(pause) * share).rounded(.down)) ?? .max
        let (sum, overflow) = pause.addingReportingOverflow(more)
        return overflow ? .max : sum
    }
}
