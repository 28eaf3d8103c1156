// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// A duration of so many minutes.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration { .seconds(minutes) * 60 }

    /// A duration of so many hours.
    public static func hours(_ hours: some BinaryInteger) -> Duration { .seconds(hours) * 3_600 }

    /// A duration of so many days of 24 hours.
    public static func days(_ days: some BinaryInteger) -> Duration { .seconds(days) * 86_400 }

    /// Whole nanoseconds; negative durations are 0, and those over 584 years are that.
    package var inNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, carry) = scaled.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return carry ? .max : sum
    }

    /// Whole nanoseconds, cut to what 64 bits can hold: 292 years in each direction.
    var signedNanoseconds: Int64 {
        self < .zero
            ? -Int64(clamping: (.zero - self).inNanoseconds) : Int64(clamping: inNanoseconds)
    }

    /// A duration of so many nanoseconds, at most 292 years.
    package init(inNanoseconds nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
