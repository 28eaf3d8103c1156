// SPDX-License-Identifier: Apache-2.0

/// The rule for the time after the last transition of a zone: a TZ string as in POSIX.1-2024, Base
/// Definitions, 8.3, such as "CET-1CEST,M3.5.0,M10.5.0/3".
///
/// Its changes may be up to 167 hours before or after midnight (RFC 9636, 3.3.1).
struct ZoneRule: Hashable, Sendable {
    /// The seconds east of UTC of standard time.
    private let standard: Int64
    /// The seconds east of UTC of daylight saving time, and its changes; nil if there is none.
    private let saving: Saving?

    private struct Saving: Hashable {
        let offset: Int64
        let start: Change
        let end: Change
    }

    /// Reads a whole text; returns nil if it is not a TZ string.
    ///
    /// Daylight saving time without dates is refused: POSIX leaves the dates to the implementation.
    init?(_ text: ArraySlice<UInt8>) {
        var text = text
        guard text.skipDesignation(), let standard = text.takeOffset() else { return nil }
        self.standard = standard
        if text.isEmpty {
            saving = nil
            return
        }
        guard text.skipDesignation() else { return nil }
        // POSIX: daylight saving time is an hour ahead unless the text has its offset.
        var offset = standard + 3_600
        if text.first != UInt8(ascii: ",") {
            guard let given = text.takeOffset() else { return nil }
            offset = given
        }
        guard let start = Change(&text), let end = Change(&text), text.isEmpty else { return nil }
        saving = Saving(offset: offset, start: start, end: end)
    }

    /// Returns the seconds east of UTC at any instant in seconds since 1970 in UTC.
    func offset(at instant: Int64) -> Int64 {
        guard let saving else { return standard }
        // The calendar repeats itself, weekdays included, after 400 years of 146,097 days. The
        // remainder therefore has the same offset, and no sum of it overflows.
        let instant = instant % (146_097 * 86_400)
        let year = CivilTime(seconds: instant).year
        // With 167 hours and the offsets, a period that starts in the year before last may last
        // until this year, and that of the next year may start in this one.
        for year in year - 2...year + 1 {
            let start = saving.start.seconds(in: year) - standard
            guard start <= instant else { break }
            var end = saving.end.seconds(in: year) - saving.offset
            // In the southern hemisphere, the period ends in the following year.
            if end <= start { end = saving.end.seconds(in: year + 1) - saving.offset }
            if instant < end { return saving.offset }
        }
        return standard
    }

    /// A change of the clock: a day of every year, and the time that the clock shows before it.
    private struct Change: Hashable {
        private enum Day: Hashable {
            /// The day, 1…365, in a year without 29 February, so that 60 is always 1 March.
            case withoutLeapDay(Int)
            /// The days since 1 January, 0…365.
            case sinceNewYear(Int)
            /// The weekday, 0…6 from Sunday, in a week, 1…5, of a month. Week 5 is the last.
            case weekday(Int, week: Int, month: Int)
        }

        private let day: Day
        /// The seconds since midnight, ±167 hours.
        private let time: Int64

        /// Takes a comma, the day and, if there is one, the time; by default it is 02:00.
        init?(_ text: inout ArraySlice<UInt8>) {
            guard text.skip(",") else { return nil }
            if text.skip("J") {
                guard let day = text.takeNumber(in: 1...365) else { return nil }
                self.day = .withoutLeapDay(day)
            } else if text.skip("M") {
                guard let month = text.takeNumber(in: 1...12), text.skip("."),
                    let week = text.takeNumber(in: 1...5), text.skip("."),
                    let weekday = text.takeNumber(in: 0...6)
                else { return nil }
                day = .weekday(weekday, week: week, month: month)
            } else {
                guard let day = text.takeNumber(in: 0...365) else { return nil }
                self.day = .sinceNewYear(day)
            }
            guard let time = text.skip("/") ? text.takeTime(hours: 167) : 7_200 else { return nil }
            self.time = time
        }

        /// Returns the seconds from 1970 to the change in a year, both in local time.
        func seconds(in year: Int) -> Int64 {
            var date = CivilTime(year: year, month: 1, day: 1)
            switch day {
            case .withoutLeapDay(let day):
                let isAfterLeapDay = day >= 60 && CivilTime.daysIn(month: 2, of: year) == 29
                date.day = isAfterLeapDay ? day + 1 : day
            case .sinceNewYear(let days): date.day += days
            case .weekday(let weekday, let week, let month):
                date.month = month
                date.day += (weekday - date.weekday + 7) % 7 + (week - 1) * 7
                if date.day > CivilTime.daysIn(month: month, of: year) { date.day -= 7 }
            }
            return date.seconds + time
        }
    }
}

/// The parts of a TZ string, taken from its beginning.
extension ArraySlice<UInt8> {
    fileprivate mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    /// Skips at least three letters, or letters, digits and signs in angle brackets.
    fileprivate mutating func skipDesignation() -> Bool {
        let isQuoted = skip("<")
        let name = prefix {
            switch Unicode.Scalar($0) {
            case "A"..."Z", "a"..."z": true
            case "0"..."9", "+", "-": isQuoted
            default: false
            }
        }
        removeFirst(name.count)
        return name.count >= 3 && (!isQuoted || skip(">"))
    }

    /// Takes a number of up to three digits; returns nil if it is out of range.
    fileprivate mutating func takeNumber(in range: ClosedRange<Int>) -> Int? {
        let digits = prefix { (48...57).contains($0) }
        removeFirst(digits.count)
        guard (1...3).contains(digits.count) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        return range.contains(number) ? number : nil
    }

    /// Takes a time with or without sign, minutes and seconds. Returns seconds.
    fileprivate mutating func takeTime(hours: Int) -> Int64? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard var seconds = takeNumber(in: 0...hours).map({ $0 * 3_600 }) else { return nil }
        for unit in [60, 1] where skip(":") {
            guard let number = takeNumber(in: 0...59) else { return nil }
            seconds += number * unit
        }
        return Int64(isNegative ? -seconds : seconds)
    }

    /// Takes an offset. Returns seconds east of UTC; the text has hours west of it.
    fileprivate mutating func takeOffset() -> Int64? { takeTime(hours: 24).map { -$0 } }
}
