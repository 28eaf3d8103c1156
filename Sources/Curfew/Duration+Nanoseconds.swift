// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole nanoseconds; negative durations are 0, longer ones than 584 years that.
    var inNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, carry) = scaled.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return carry ? .max : sum
    }

    /// A duration of so many nanoseconds.
    init(inNanoseconds nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
