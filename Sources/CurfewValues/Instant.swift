// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A date: a point on the wall clock, in nanoseconds since 1970 in UTC.
///
/// Dates outside of 1678…2262 are cut to that range.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    public let nanosecondsSince1970: Int64

    /// A date by its nanoseconds since 1970 in UTC.
    public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

    /// The present, by CLOCK_REALTIME.
    public static var now: Instant {
        // By hand: the members of timespec are of a module that cannot be named here.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { time in
            time.initialize(repeating: 0)
            _ = time.withMemoryRebound(to: timespec.self) {
                clock_gettime(CLOCK_REALTIME, $0.baseAddress!)
            }
            return Instant(nanosecondsSince1970: Int64(time[0] * 1_000_000_000 + time[1]))
        }
    }

    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanosecondsSince1970.addingReportingOverflow(
            duration.signedNanoseconds)
        return Instant(
            nanosecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanosecondsSince1970) - .nanoseconds(nanosecondsSince1970)
    }

    public static func < (a: Instant, b: Instant) -> Bool {
        a.nanosecondsSince1970 < b.nanosecondsSince1970
    }

    /// The date that is later by a duration.
    public static func + (date: Instant, duration: Duration) -> Instant {
        date.advanced(by: duration)
    }

    /// The date that is earlier by a duration.
    public static func - (date: Instant, duration: Duration) -> Instant {
        date.advanced(by: .zero - duration)
    }
}
