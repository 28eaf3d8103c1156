// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Cron expressions")
struct CronScheduleTests {
    /// Summer time in the middle of Europe, 2026 and 2027.
    private struct Berlin: TimeZoneRules {
        func offset(at instant: Int64) -> Int64 {
            let summers = [
                (
                    CivilTime(year: 2026, month: 3, day: 29, hour: 1),
                    CivilTime(year: 2026, month: 10, day: 25, hour: 1)
                ),
                (
                    CivilTime(year: 2027, month: 3, day: 28, hour: 1),
                    CivilTime(year: 2027, month: 10, day: 31, hour: 1)
                ),
            ]
            return summers.contains { $0.seconds <= instant && instant < $1.seconds }
                ? 7_200 : 3_600
        }
    }

    private func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0)
        -> Int64
    {
        CivilTime(year: year, month: month, day: day, hour: hour, minute: minute).seconds
    }

    @Test("days are counted as the calendar has them")
    func civil() {
        #expect(utc(1970, 1, 1) == 0)
        #expect(utc(2000, 3, 1) == 951_868_800)
        #expect(utc(2026, 11, 21) == 1_795_219_200)
        #expect(CivilTime(year: 2026, month: 11, day: 21).weekday == 6)
        for day in stride(from: Int64(-800_000), through: 800_000, by: 37) {
            let time = CivilTime(seconds: day * 86_400 + 3_599)
            #expect(time.seconds == day * 86_400 + 3_540)
            #expect((1...CivilTime.daysIn(month: time.month, of: time.year)).contains(time.day))
        }
    }

    @Test(
        "the next time is the first minute that fits",
        arguments: [
            "* * * * *", "*/15 * * * *", "0 0 * * *", "30 4 1,15 * 5", "0 12 * * mon-fri",
            "5-10/2 22 * jan,jun 7", "59 23 31 * *", "0 0 29 2 *", "17 3 * * 1-3,6", "@weekly",
            "0 9-17 13 * fri",
        ])
    func bruteForce(text: String) throws {
        let schedule = try CronSchedule(text)
        var instant = utc(2027, 12, 30, 23, 58)
        // A minute at a time takes long where years lie between.
        for _ in 0..<(text.hasPrefix("0 0 29 2") ? 1 : 6) {
            let next = try #require(schedule.next(after: instant, in: UTC()))
            // By the definition, a minute at a time.
            var minute = instant / 60 * 60 + 60
            while !fits(text, CivilTime(seconds: minute)), minute < instant + 5 * 366 * 86_400 {
                minute += 60
            }
            #expect(next == minute)
            instant = next
        }
    }

    /// An oracle that knows only the fields of the test above.
    private func fits(_ text: String, _ time: CivilTime) -> Bool {
        let (m, h, d, mo, w) = (time.minute, time.hour, time.day, time.month, time.weekday)
        switch text {
        case "* * * * *": return true
        case "*/15 * * * *": return m % 15 == 0
        case "0 0 * * *": return m == 0 && h == 0
        case "30 4 1,15 * 5": return m == 30 && h == 4 && (d == 1 || d == 15 || w == 5)
        case "0 12 * * mon-fri": return m == 0 && h == 12 && (1...5).contains(w)
        case "5-10/2 22 * jan,jun 7":
            return [5, 7, 9].contains(m) && h == 22 && (mo == 1 || mo == 6) && w == 0
        case "59 23 31 * *": return m == 59 && h == 23 && d == 31
        case "0 0 29 2 *": return m == 0 && h == 0 && d == 29 && mo == 2
        case "17 3 * * 1-3,6": return m == 17 && h == 3 && [1, 2, 3, 6].contains(w)
        case "@weekly": return m == 0 && h == 0 && w == 0
        default: return m == 0 && (9...17).contains(h) && (d == 13 || w == 5)
        }
    }

    @Test("a minute that the clock leaves out comes after the gap, once")
    func spring() throws {
        let daily = try CronSchedule("30 2 * * *")
        let first = try #require(daily.next(after: utc(2026, 3, 28, 12), in: Berlin()))
        #expect(first == utc(2026, 3, 29, 1))  // 03:00 on the wall
        #expect(daily.next(after: first, in: Berlin()) == utc(2026, 3, 30, 0, 30))
        let often = try CronSchedule("*/20 2 * * *")
        #expect(often.next(after: utc(2026, 3, 28, 12), in: Berlin()) == utc(2026, 3, 29, 1))
        #expect(often.next(after: utc(2026, 3, 29, 1), in: Berlin()) == utc(2026, 3, 30, 0))
    }

    @Test("a minute that the clock shows twice comes once, but for what comes every hour")
    func autumn() throws {
        let daily = try CronSchedule("30 2 * * *")
        let first = try #require(daily.next(after: utc(2026, 10, 24, 12), in: Berlin()))
        #expect(first == utc(2026, 10, 25, 0, 30))
        #expect(daily.next(after: first, in: Berlin()) == utc(2026, 10, 26, 1, 30))
        let hourly = try CronSchedule("30 * * * *")
        var instant = utc(2026, 10, 24, 22)
        var found: [Int64] = []
        for _ in 0..<6 {
            instant = try #require(hourly.next(after: instant, in: Berlin()))
            found.append(instant)
        }
        #expect(found == (0..<6).map { utc(2026, 10, 24, 22, 30) + $0 * 3_600 })
    }

    @Test(
        "what comes every hour comes in both of the hours that the clock shows alike",
        arguments: [
            ("* * * * *", 1), ("*/15 * * * *", 15), ("59 * * * *", 60), ("59 0-23 * 10 sun", 60),
        ])
    func repeatedHour(text: String, minutes: Int64) throws {
        let schedule = try CronSchedule(text)
        let (start, end) = (utc(2026, 10, 24, 23, 59), utc(2026, 10, 25, 3))
        // The same, wherever it is looked for from: the host may start at any second.
        for instant in stride(from: start, to: end, by: 17) {
            let first = utc(2026, 10, 24, 23) + (minutes == 60 ? 59 * 60 : 0)
            let step = minutes * 60
            let expected = first + ((instant - first) / step + 1) * step
            #expect(schedule.next(after: instant, in: Berlin()) == expected)
        }
    }

    @Test(
        "what cannot be is refused, with its field",
        arguments: [
            ("60 * * * *", CronField.minute), ("* 24 * * *", .hour), ("* * 0 * *", .day),
            ("* * * 13 *", .month), ("* * * * 8", .weekday), ("* * * * frid", .weekday),
            ("5-1 * * * *", .minute), ("*/0 * * * *", .minute), ("1,,2 * * * *", .minute),
            ("0 0 31 2,4 *", .day), ("-1 * * * *", .minute), ("1/ * * * *", .minute),
            ("0 0 30 feb *", .day), ("+1 * * * *", .minute), ("99999 * * * *", .minute),
        ])
    func refused(text: String, field: CronField) {
        #expect(throws: CronFault.self) { try CronSchedule(text) }
        do throws(CronFault) { _ = try CronSchedule(text) } catch {
            #expect(error.field == field, "\(error)")
        }
    }

    @Test("five fields, or a name for them", arguments: ["", "* * * *", "* * * * * *", "@never"])
    func fields(text: String) {
        do throws(CronFault) {
            _ = try CronSchedule(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.field == nil)
        }
    }
}
