// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A date: a point on the wall clock, to the nanosecond.
///
/// Dates outside 1678…2262 are limited to that range. `epoch` converts from and to other types of
/// dates: `.epoch + .seconds(seconds)` and `Instant.epoch.duration(to: date)`.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    package let nanosecondsSince1970: Int64

    /// Creates a date from its nanoseconds since 1970 in UTC.
    package init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

    /// The date 1970-01-01 00:00:00 UTC.
    public static let epoch = Instant(nanosecondsSince1970: 0)

    /// The current date, by CLOCK_REALTIME.
    public static var now: Instant {
        // This target cannot name the module that declares the members of timespec.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { time in
            time.initialize(repeating: 0)
            _ = time.withMemoryRebound(to: timespec.self) {
                clock_gettime(CLOCK_REALTIME, $0.baseAddress!)
            }
            return Instant(nanosecondsSince1970: Int64(time[0] * 1_000_000_000 + time[1]))
        }
    }

    /// Returns the date after a duration; the first or the last one where that is out of range.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanosecondsSince1970.addingReportingOverflow(
            duration.signedNanoseconds)
        return Instant(
            nanosecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// Returns the duration from this date to another one.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanosecondsSince1970) - .nanoseconds(nanosecondsSince1970)
    }

    public static func < (a: Instant, b: Instant) -> Bool {
        a.nanosecondsSince1970 < b.nanosecondsSince1970
    }

    /// Returns the date plus a duration.
    public static func + (date: Instant, duration: Duration) -> Instant {
        date.advanced(by: duration)
    }

    /// Returns the date minus a duration.
    public static func - (date: Instant, duration: Duration) -> Instant {
        date.advanced(by: .zero - duration)
    }
}
