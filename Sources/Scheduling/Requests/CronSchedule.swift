// SPDX-License-Identifier: Apache-2.0

/// A cron schedule with five fields as in crontab(5): minute, hour, day of the month, month,
/// weekday.
///
/// If both days are restricted, either is enough. When the clock is set forward, the minutes that
/// it skips are launched together, once, at the first instant after the gap. When it is set back,
/// the minutes that it shows twice are launched once, the first time, unless the schedule names
/// every hour: then they are launched both times.
package struct CronSchedule: Hashable, Sendable {
    /// All of it, for people and stores.
    package let text: String
    /// The time zone that it names, `CRON_TZ=Europe/Berlin 0 3 * * *`; nil if it names none.
    package let zone: String?
    /// The five fields, or the nickname.
    package let expression: String
    // Bit n is the value n.
    private let minutes: UInt64
    private let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    private let isAnyDay: Bool
    private let isAnyWeekday: Bool
    private let isEveryHour: Bool

    /// The maximum number of bytes of an expression. Every value of each field, named twice, needs
    /// fewer.
    package static let textLimit = 1_024

    /// Reads an expression. Throws the fault and its field.
    package init(_ text: String) throws(CronFault) {
        guard text.utf8.count <= Self.textLimit else {
            throw CronFault(
                field: nil, message: "has \(text.utf8.count) bytes, and may have \(Self.textLimit)",
                help: "write ranges and steps, such as 1-5 or */15")
        }
        try self.init(kept: text)
    }

    /// Reads an expression of any length, since stores of earlier versions may have one.
    package init(kept text: String) throws(CronFault) {
        self.text = text
        var words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        if let first = words.first, first.utf8.starts(with: Self.zoneMark.utf8) {
            let name = String(first.utf8.dropFirst(Self.zoneMark.utf8.count)) ?? ""
            guard Self.isZoneName(name) else {
                throw CronFault(
                    field: nil, message: "has no name of a time zone after \(Self.zoneMark)",
                    help: "write one such as `\(Self.zoneMark)Europe/Berlin 30 4 * * 1`")
            }
            zone = name
            words.removeFirst()
        } else {
            zone = nil
        }
        expression = words.joined(separator: " ")
        let fields = words.count == 1 ? try Self.nickname(String(words[0])) : words.map(String.init)
        if let first = fields.first, first.utf8.starts(with: "TZ=".utf8) {
            throw CronFault(
                field: nil, message: "names a time zone with TZ=",
                help: "write `CRON_\(first) \(fields.dropFirst().joined(separator: " "))`")
        }
        guard fields.count == 5 else {
            throw CronFault(
                field: nil,
                message: "has \(fields.count) field\(fields.count == 1 ? "" : "s"), not 5",
                help: "write minute, hour, day, month and weekday, `30 4 * * 1`")
        }
        minutes = try CronField.minute.bits(fields[0])
        hours = try CronField.hour.bits(fields[1])
        days = try CronField.day.bits(fields[2])
        months = try CronField.month.bits(fields[3])
        weekdays = try CronField.weekday.bits(fields[4])
        isAnyDay = fields[2].hasPrefix("*")
        isAnyWeekday = fields[4].hasPrefix("*")
        isEveryHour = hours == 1 << 24 - 1
        guard canEver else {
            throw CronFault(
                field: .day, message: "names a day that none of its months has",
                help: "30 and 31 are not in every month, and 29 February is in leap years only")
        }
    }

    private static let zoneMark = "CRON_TZ="

    /// Returns the text of an expression in a time zone.
    package static func text(_ expression: String, inZone name: String) -> String {
        "\(zoneMark)\(name) \(expression)"
    }

    /// Whether a name could be that of a time zone: it is part of a path, and leads out of no
    /// directory.
    package static func isZoneName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let isPlain = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "+-_/".utf8.contains(byte)
            }
        }
        return isPlain && (1...64).contains(bytes.count) && bytes.first != UInt8(ascii: "/")
            && bytes.last != UInt8(ascii: "/")
    }

    private static func nickname(_ word: String) throws(CronFault) -> [String] {
        let text: String
        switch word {
        case "@hourly": text = "0 * * * *"
        case "@daily", "@midnight": text = "0 0 * * *"
        case "@weekly": text = "0 0 * * 0"
        case "@monthly": text = "0 0 1 * *"
        case "@yearly", "@annually": text = "0 0 1 1 *"
        default: return [word]
        }
        return text.split(separator: " ").map(String.init)
    }

    /// Whether a month has one of the days, or the weekday alone is enough.
    private var canEver: Bool {
        if !isAnyWeekday { return true }
        return (1...12).contains { month in
            months >> UInt64(month) & 1 != 0
                && (1...(month == 2 ? 29 : CivilTime.daysIn(month: month, of: 2_000))).contains {
                    days >> UInt64($0) & 1 != 0
                }
        }
    }

    /// Returns the first matching instant after `instant`; both are seconds since 1970 in UTC. Nil
    /// if the calendar has none within 28 years, after which it repeats itself except for
    /// centuries.
    package func next(after instant: Int64, in zone: some TimeZoneRules) -> Int64? {
        var offset = zone.offset(at: instant)
        // Minutes that the clock shows a second time come within a day of the first time, and
        // earlier in local time than the current minute.
        if isEveryHour { offset = min(offset, zone.offset(at: instant + 86_400)) }
        var wall = CivilTime(seconds: instant + offset + 60)
        var again: Int64?
        let last = wall.year + 28
        while let fit = nextFit(from: wall, last: last) {
            let shown = Self.instants(of: fit, in: zone)
            if isEveryHour, again == nil, let second = shown.second, second > instant {
                again = second
            }
            // Minutes that are later in local time come later, both the first and the second time.
            if shown.first > instant { return min(shown.first, again ?? shown.first) }
            wall = CivilTime(seconds: fit.seconds + 60)
        }
        return again
    }

    /// Returns the first matching minute in local time from `wall` on.
    private func nextFit(from wall: CivilTime, last: Int) -> CivilTime? {
        var wall = wall
        while wall.year <= last {
            guard has(months, wall.month) else {
                wall = Self.firstOfNextMonth(wall)
                continue
            }
            guard isDay(wall) else {
                let day = CivilTime(year: wall.year, month: wall.month, day: wall.day)
                wall = CivilTime(seconds: day.seconds + 86_400)
                continue
            }
            guard has(hours, wall.hour) else {
                var hour = wall
                hour.minute = 0
                wall = CivilTime(seconds: hour.seconds + 3_600)
                continue
            }
            if has(minutes, wall.minute) { return wall }
            wall = CivilTime(seconds: wall.seconds + 60)
        }
        return nil
    }

    private static func firstOfNextMonth(_ wall: CivilTime) -> CivilTime {
        wall.month == 12
            ? CivilTime(year: wall.year + 1, month: 1, day: 1)
            : CivilTime(year: wall.year, month: wall.month + 1, day: 1)
    }

    private func isDay(_ wall: CivilTime) -> Bool {
        let (day, weekday) = (has(days, wall.day), has(weekdays, wall.weekday))
        return isAnyDay || isAnyWeekday ? day && weekday : day || weekday
    }

    private func has(_ bits: UInt64, _ value: Int) -> Bool { bits >> UInt64(value) & 1 != 0 }

    /// Returns the first and the second time at which the local clock shows a minute; if it never
    /// does, the end of the gap that contains the minute.
    private static func instants(
        of wall: CivilTime, in zone: some TimeZoneRules
    ) -> (first: Int64, second: Int64?) {
        // The offset of a zone changes a few times a year, and by a day at most.
        let shown = wall.seconds
        let before = zone.offset(at: shown - 86_400)
        let after = zone.offset(at: shown + 86_400)
        let (early, late) = (shown - max(before, after), shown - min(before, after))
        let isLate = zone.offset(at: late) == shown - late
        if zone.offset(at: early) == shown - early {
            return (early, isLate && late > early ? late : nil)
        }
        if isLate { return (late, nil) }
        return (
            change(after: shown - 86_400 - before, before: shown + 86_400 - after, in: zone), nil
        )
    }

    /// Returns the first instant whose offset differs from that of the first of two instants.
    private static func change(
        after first: Int64, before last: Int64, in zone: some TimeZoneRules
    ) -> Int64 {
        let offset = zone.offset(at: first)
        var (low, high) = (first, last)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if zone.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}
