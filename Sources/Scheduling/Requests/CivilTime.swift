// SPDX-License-Identifier: Apache-2.0

/// A minute of the Gregorian calendar, in local time.
///
/// Days are counted by H. Hinnant's algorithms, "chrono-Compatible Low-Level Date Algorithms" (2013):
/// years begin in March, so that the leap day is the last one.
package struct CivilTime: Hashable, Sendable, Comparable {
    package var year: Int
    /// The month, 1…12.
    package var month: Int
    /// The day of the month, 1…31.
    package var day: Int
    /// The hour, 0…23.
    package var hour: Int
    /// The minute, 0…59.
    package var minute: Int

    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
    }

    /// Creates the minute that contains a number of seconds since 1970-01-01 00:00, in the same
    /// zone.
    package init(seconds: Int64) {
        let days = seconds.flooredQuotient(86_400)
        let rest = Int(seconds - days * 86_400)
        let shifted = days + 719_468  // days since 0000-03-01
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3_600
        minute = rest % 3_600 / 60
    }

    /// The seconds from 1970-01-01 00:00 to the beginning of this minute, in the same zone.
    package var seconds: Int64 { days * 86_400 + Int64(hour) * 3_600 + Int64(minute) * 60 }

    /// The days since 1970-01-01.
    private var days: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.flooredQuotient(400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// The day of the week; 0 is Sunday, as in crontab(5).
    package var weekday: Int { Int((days + 4) - (days + 4).flooredQuotient(7) * 7) }

    package static func daysIn(month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    package static func < (a: CivilTime, b: CivilTime) -> Bool { a.seconds < b.seconds }
}

extension Int64 {
    /// Returns the quotient, rounded towards negative infinity.
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
