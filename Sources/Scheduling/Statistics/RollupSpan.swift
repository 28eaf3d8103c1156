// SPDX-License-Identifier: Apache-2.0

/// The length of the spans of time for which roll-ups are kept.
package enum RollupSpan: Int64, Sendable, CaseIterable {
    /// Kept for three hours.
    case minute = 60
    /// Kept for 90 days.
    case hour = 3_600

    package var length: Int64 { rawValue * 1_000_000_000 }

    /// The nanoseconds for which they are kept.
    package var age: Int64 {
        switch self {
        case .minute: 3 * Self.hour.length
        case .hour: 90 * 24 * Self.hour.length
        }
    }

    /// The beginning of the span that has a date, in nanoseconds since 1970 in UTC.
    package func beginning(of date: Int64) -> Int64 { date - (date % length + length) % length }
}

extension RollupSpan {
    /// The beginning of the first span that is kept at a date. Those of minutes are kept by whole hours.
    package func firstKept(at now: Int64) -> Int64 { Self.hour.beginning(of: now - age) }
}
