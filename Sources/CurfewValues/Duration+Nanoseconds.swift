// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Returns a duration of that many minutes.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration { .seconds(minutes) * 60 }

    /// Returns a duration of that many hours.
    public static func hours(_ hours: some BinaryInteger) -> Duration { .seconds(hours) * 3_600 }

    /// The duration in whole nanoseconds: 0 for negative durations, at most 584 years.
    package var inNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, carry) = scaled.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return carry ? .max : sum
    }

    /// The duration in whole nanoseconds, limited to the range of 64 bits: 292 years in each
    /// direction.
    var signedNanoseconds: Int64 {
        self < .zero
            ? -Int64(clamping: (.zero - self).inNanoseconds) : Int64(clamping: inNanoseconds)
    }

    /// Creates a duration of that many nanoseconds, at most 292 years.
    package init(inNanoseconds nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
