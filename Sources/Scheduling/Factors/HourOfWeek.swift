// SPDX-License-Identifier: Apache-2.0

/// An hour of a week, in local time.
struct HourOfWeek: Hashable, Sendable {
    /// The hour, 0…167, from Monday 00:00.
    let cell: Int
    /// The number of weeks since that of 1970-01-01; weeks begin on Mondays.
    let week: Int64

    /// The weeks that 64-bit nanoseconds cover, in every time zone.
    static let weeks: ClosedRange<Int64> = -15_300...15_300

    /// - Parameter wall: nanoseconds since 1970 in UTC.
    init(wall: Int64, in zone: some TimeZoneRules) {
        let seconds = wall.flooredQuotient(1_000_000_000)
        // No time zone is further than a day from UTC; `zone` may be wrong.
        let offset = min(max(zone.offset(at: seconds), -86_400), 86_400)
        // 1970-01-01 was a Thursday.
        let hours = (seconds + offset).flooredQuotient(3_600) + 72
        week = hours.flooredQuotient(168)
        cell = Int(hours - week * 168)
    }
}
