// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// Dates as they are shown: all are nanoseconds since 1970 in UTC.
enum DateText {
    private static var second: Int64 { 1_000_000_000 }

    /// On the machine's wall: `2026-12-24 18:00:00`.
    static func full(_ date: Int64) -> String {
        let (wall, seconds, _) = wall(date)
        return day(wall) + " " + time(wall, seconds)
    }

    /// Its day alone: `2026-12-24`.
    static func day(_ date: Int64) -> String { day(wall(date).wall) }

    /// Returns the date without its obvious parts: `18:00:00` today, `12-24 18:00` this year.
    static func short(_ date: Int64, at now: Int64) -> String {
        let (wall, seconds, _) = wall(date)
        let today = Self.wall(now).wall
        if (wall.year, wall.month, wall.day) == (today.year, today.month, today.day) {
            return time(wall, seconds)
        }
        return wall.year == today.year
            ? "\(two(wall.month))-\(two(wall.day)) \(two(wall.hour)):\(two(wall.minute))"
            : day(wall)
    }

    /// Without a blank in it, with its zone: `2026-12-24T18:00:00+01:00`.
    static func word(_ date: Int64) -> String {
        let (wall, seconds, offset) = wall(date)
        let minutes = abs(offset) / 60
        let zone =
            offset == 0
            ? "Z" : "\(offset < 0 ? "-" : "+")\(two(Int(minutes / 60))):\(two(Int(minutes % 60)))"
        return "\(day(wall))T\(time(wall, seconds))\(zone)"
    }

    /// For other programs, in UTC, with milliseconds: `2026-12-24T17:00:00.000Z`.
    static func utc(_ date: Int64) -> String {
        let wall = CivilTime(seconds: floored(date))
        let rest = date - floored(date) * second
        let seconds = Int(floored(date) - wall.seconds)
        let milliseconds = String(rest / 1_000_000 + 1_000).dropFirst()
        return "\(day(wall))T\(time(wall, seconds)).\(milliseconds)Z"
    }

    /// `in 14 min`, `3 min ago`, `just now`.
    static func relative(_ date: Int64, at now: Int64) -> String {
        let distance = date.subtractingReportingOverflow(now).partialValue
        if abs(distance) < second { return "just now" }
        let span = SpanText(nanoseconds: distance.magnitude)
        return distance > 0 ? "in \(span)" : "\(span) ago"
    }

    /// Both: `2026-12-24 18:00:00, in 14 min`.
    static func both(_ date: Int64, at now: Int64) -> String {
        "\(full(date)), \(relative(date, at: now))"
    }

    static func item(_ date: Int64) -> JSONItem { .text(utc(date)) }
    static func item(_ date: Int64?) -> JSONItem { date.map { item($0) } ?? .null }

    private static func wall(_ date: Int64) -> (wall: CivilTime, seconds: Int, offset: Int64) {
        let instant = floored(date)
        let offset = LocalZone().offset(at: instant)
        let wall = CivilTime(seconds: instant + offset)
        return (wall, Int(instant + offset - wall.seconds), offset)
    }

    private static func floored(_ date: Int64) -> Int64 {
        date >= 0 ? date / second : (date - second + 1) / second
    }

    private static func day(_ wall: CivilTime) -> String {
        "\(wall.year)-\(two(wall.month))-\(two(wall.day))"
    }

    private static func time(_ wall: CivilTime, _ seconds: Int) -> String {
        "\(two(wall.hour)):\(two(wall.minute)):\(two(seconds))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
