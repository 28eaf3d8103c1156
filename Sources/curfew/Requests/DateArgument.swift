// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// Reads dates as ISO 8601 has them: `2026-12-24`, `2026-12-24T18:00`, `2026-12-24T18:00:30.5Z`,
/// `2026-12-24T18:00+01:00`; and times of a day, `18:00`, for the next one. Without a zone they are the
/// machine's.
enum DateArgument {
    /// Why a text is no date, to be put after it: lower case, no full stop.
    struct Fault: Error {
        let reason: String
    }

    /// A time of a day.
    private struct DayTime {
        /// Since its day began.
        var seconds: Int64
        /// Nanoseconds.
        var fraction: Int64
        /// Seconds east of UTC; nil: the text names no zone.
        var offset: Int64?
    }

    /// Returns nanoseconds since 1970 in UTC.
    ///
    /// - Parameters:
    ///   - name: what the text was given for, as it is typed: `--at`, or `submit:at=`.
    ///   - isUTC: a date that names no zone is in UTC, and not in the machine's.
    ///   - now: what a time without a day comes after; nanoseconds since 1970 in UTC.
    static func value(
        _ text: String, for name: String, at now: Int64, isUTC: Bool = false
    ) throws(CommandError) -> Int64 {
        do throws(Fault) {
            return isUTC
                ? try parse(text, at: now, in: UTC()) : try parse(text, at: now, in: LocalZone())
        } catch {
            throw CommandError(
                .usage, "`\(text)` \(error.reason)", notes: ["nothing was done"],
                help: isUTC ? [utcHelp(for: name, at: now)] : help(for: name, at: now))
        }
    }

    /// For dates of calls, which are in UTC and mostly past.
    private static func utcHelp(for name: String, at now: Int64) -> String {
        let date = TypedValue.text("\(DateText.day(now))T00:00", after: name)
        return "write a date, `\(date)`; it is in UTC, unless a zone is named"
    }

    /// Lines that say how a date is written. All that stands in backticks can be typed, and comes.
    static func help(for name: String, at now: Int64) -> [String] {
        let tomorrow = DateText.day(now + 86_400_000_000_000)
        let (date, time, zoned) = (
            TypedValue.text("\(tomorrow)T18:00", after: name),
            TypedValue.text("18:00", after: name),
            TypedValue.text("\(tomorrow)T18:00Z", after: name)
        )
        return [
            "write a date, `\(date)`, or a time for the next one, `\(time)`;",
            "they are of the machine's zone, unless one is named: `\(zoned)`",
        ]
    }

    /// A date that names no zone, and is the machine's.
    static func isLocal(_ text: String) -> Bool {
        !text.utf8.drop { $0 != UInt8(ascii: ":") }.contains { "Zz+-".utf8.contains($0) }
    }

    static func parse(
        _ text: String, at now: Int64, in zone: some TimeZoneRules
    ) throws(Fault) -> Int64 {
        var rest = Substring(text)
        if rest.utf8.dropFirst(2).first == UInt8(ascii: ":") {
            return try next(try dayTime(&rest), after: now, in: zone)
        }
        guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2),
            take("-", &rest), let day = number(&rest, 2)
        else { throw Fault(reason: "is not a date") }
        guard (1970...2200).contains(year) else {
            throw Fault(reason: "is not in the years 1970 to 2200")
        }
        guard (1...12).contains(month),
            (1...CivilTime.daysIn(month: month, of: year)).contains(day)
        else { throw Fault(reason: "is no day of the calendar") }
        let start = CivilTime(year: year, month: month, day: day).seconds
        var time = DayTime(seconds: 0, fraction: 0, offset: nil)
        if !rest.isEmpty {
            guard take("T", &rest) || take("t", &rest) || take(" ", &rest) else {
                throw Fault(reason: "has a time that is not written as 18:00")
            }
            time = try dayTime(&rest)
        }
        guard let instant = instants(start, time, zone).first else {
            throw Fault(reason: "does not exist here: the clock is set forward over it")
        }
        return instant * 1_000_000_000 + time.fraction
    }

    /// The next instant at which the clock shows that. A day on which it is set forward over it is
    /// left out.
    private static func next(
        _ time: DayTime, after now: Int64, in zone: some TimeZoneRules
    ) throws(Fault) -> Int64 {
        let second: Int64 = 1_000_000_000
        let wall = CivilTime(
            seconds: now / second + (time.offset ?? zone.offset(at: now / second)))
        let today = CivilTime(year: wall.year, month: wall.month, day: wall.day).seconds
        // The zone may be left out for a day, and its clock set back over midnight.
        for day in -1...3 {
            for instant in instants(today + Int64(day) * 86_400, time, zone)
            where instant * second + time.fraction > now {
                return instant * second + time.fraction
            }
        }
        throw Fault(reason: "does not exist here in the next days")
    }

    /// Reads all of the rest.
    private static func dayTime(_ rest: inout Substring) throws(Fault) -> DayTime {
        guard let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2) else {
            throw Fault(reason: "has a time that is not written as 18:00")
        }
        let (second, fraction) = try seconds(&rest)
        guard hour < 24, minute < 60, second < 60 else {
            throw Fault(reason: "has a time that no clock shows")
        }
        let offset = try offset(&rest)
        guard rest.isEmpty else { throw Fault(reason: "has `\(rest)` at its end") }
        return DayTime(
            seconds: Int64(hour * 3_600 + minute * 60 + second), fraction: fraction, offset: offset)
    }

    /// The seconds, where there are any, and nanoseconds.
    private static func seconds(_ rest: inout Substring) throws(Fault) -> (Int, Int64) {
        guard take(":", &rest) else { return (0, 0) }
        guard let second = number(&rest, 2) else {
            throw Fault(reason: "has seconds that are not two digits")
        }
        guard take(".", &rest) else { return (second, 0) }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...9).contains(digits.count), let part = Int64(digits) else {
            throw Fault(reason: "has a part of a second that is not one to nine digits")
        }
        rest = rest.dropFirst(digits.count)
        return (second, (digits.count..<9).reduce(part) { part, _ in part * 10 })
    }

    /// Seconds east of UTC; nil: the text names no zone.
    private static func offset(_ rest: inout Substring) throws(Fault) -> Int64? {
        if take("Z", &rest) || take("z", &rest) { return 0 }
        let sign: Int64
        if take("+", &rest) {
            sign = 1
        } else if take("-", &rest) {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(&rest, 2), hours < 24 else {
            throw Fault(reason: "has a zone that is not written as +01:00 or Z")
        }
        var minutes = 0
        if take(":", &rest) || !rest.isEmpty {
            guard let number = number(&rest, 2), number < 60 else {
                throw Fault(reason: "has a zone that is not written as +01:00 or Z")
            }
            minutes = number
        }
        return sign * Int64(hours * 3_600 + minutes * 60)
    }

    /// When a clock shows that time of the day that begins there, in seconds since 1970: once, twice
    /// where it is set back, never where it is set forward over it.
    private static func instants(
        _ day: Int64, _ time: DayTime, _ zone: some TimeZoneRules
    ) -> [Int64] {
        let shown = day + time.seconds
        if let offset = time.offset { return [shown - offset] }
        // Zones change a few times a year, and by a day at most.
        let (one, other) = (zone.offset(at: shown - 86_400), zone.offset(at: shown + 86_400))
        return (one == other ? [one] : [max(one, other), min(one, other)])
            .filter { zone.offset(at: shown - $0) == $0 }.map { shown - $0 }
    }

    private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
        let text = rest.utf8.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }
}
