// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Scheduling

/// Dates of cron expressions as Python's zoneinfo has them, found a minute at a time.
///
/// Nothing of it is shared with what is tested: it reads the fields itself, asks for the wall's time
/// of each minute, and knows by `fold` (PEP 495) which minutes are shown a second time. The changes of
/// the zones come along, so that both sides have the same version of the time zone database.
struct CronReference {
    /// Zones and their changes, in seconds since 1970.
    struct Zone: TimeZoneRules {
        var name: String
        var first: Int64
        var changes: [(at: Int64, offset: Int64)] = []

        func offset(at instant: Int64) -> Int64 {
            var (low, high) = (0, changes.count)
            while low < high {
                let middle = (low + high) / 2
                if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? first : changes[low - 1].offset
        }
    }

    /// An expression in a zone, and all its dates after `start` and up to `end`.
    struct Chain {
        var zone: Zone
        var text: String
        var start: Int64
        var end: Int64
        var dates: [Int64]
    }

    /// Returns so many chains for each zone, most of them around a change of its clock.
    static func chains(_ zones: [String], each count: Int, seed: Int) throws -> [Chain] {
        let run = try ChildProcess.run(
            "python3", ["-c", script, "\(seed)", "\(count)"] + zones)
        try #require(run.succeeded, "\(run)")
        var zone = Zone(name: "", first: 0)
        return try run.output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            let numbers = parts.dropFirst(2).flatMap { $0.split(separator: " ") }
                .compactMap { Int64($0) }
            guard parts[0] == "chain" else {
                zone = Zone(name: String(parts[1]), first: try #require(numbers.first))
                zone.changes = stride(from: 1, to: numbers.count, by: 2).map {
                    (numbers[$0], numbers[$0 + 1])
                }
                return nil
            }
            return Chain(
                zone: zone, text: String(parts[1]), start: numbers[0], end: numbers[1],
                dates: Array(numbers.dropFirst(2)))
        }
    }

    private static let script = """
        import bisect, datetime, random, sys, zoneinfo

        FIELDS = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]
        NAMES = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        MINUTES = ["*", "*/15", "59", "0", "30", "7,37", "*/20", "45-59", "0-10/5", "*/7", "17"]
        HOURS = ["*"] * 6 + ["0-23", "*/2", "1", "2", "3", "0", "23", "1-3", "0,2", "22-23", "*/6"]
        DAYS = ["*"] * 6 + ["1-7", "25", "*/2"]
        WEEKDAYS = ["*"] * 6 + ["sun", "0", "mon-fri", "sat,sun"]

        def values(text, field):
            low, high = FIELDS[field]
            found = set()
            for part in text.split(","):
                body, _, step = part.partition("/")
                if body == "*": first, last = low, high
                else:
                    ends = [NAMES.index(e) if e in NAMES else int(e) for e in body.split("-")]
                    first, last = ends[0], ends[-1]
                found.update(range(first, last + 1, int(step or 1)))
            return found

        def fits(wall, sets, any_day, any_weekday):
            if wall.minute not in sets[0] or wall.hour not in sets[1] or wall.month not in sets[3]:
                return False
            day, weekday = wall.day in sets[2], (wall.weekday() + 1) % 7 in sets[4]
            return day and weekday if any_day or any_weekday else day or weekday

        def window(zone, start, days):
            # Each minute: its instant, what the wall shows, what the wall left out before it.
            rows, before = [], None
            for instant in range(start, start + days * 86400, 60):
                wall = datetime.datetime.fromtimestamp(instant, zone)
                bare = wall.replace(tzinfo=None, fold=0)
                left_out = []
                if before is not None:
                    missing = before + datetime.timedelta(minutes=1)
                    while missing < bare:
                        left_out.append(missing)
                        missing += datetime.timedelta(minutes=1)
                rows.append((instant, wall, left_out))
                before = bare
            return rows

        def dates(rows, text, start, limit):
            fields = text.split(" ")
            sets = [values(field, index) for index, field in enumerate(fields)]
            any_day, any_weekday = fields[2][0] == "*", fields[4][0] == "*"
            both = len(sets[1]) == 24
            found = []
            for instant, wall, left_out in rows:
                if instant <= start: continue
                due = (both or wall.fold == 0) and fits(wall, sets, any_day, any_weekday)
                if due or any(fits(minute, sets, any_day, any_weekday) for minute in left_out):
                    found.append(instant)
                    if len(found) == limit: return found, instant
            return found, rows[-1][0]

        def changes(zone):
            offset = lambda t: int(datetime.datetime.fromtimestamp(t, zone).utcoffset().total_seconds())
            found, step = [], 6 * 3600
            begin, end = 1104537600, 2114380800  # 2005 to 2037
            for t in range(begin, end, step):
                if offset(t) == offset(t + step): continue
                found.append(bisect.bisect_left(range(t, t + step + 1), True,
                                                key=lambda u: offset(u) != offset(t)) + t)
            return offset(begin), [(t, offset(t)) for t in found]

        chance = random.Random(int(sys.argv[1]))
        count = int(sys.argv[2])
        for name in sys.argv[3:]:
            zone = zoneinfo.ZoneInfo(name)
            first, found = changes(zone)
            print("zone", name, first, *(f"{t} {o}" for t, o in found), sep="\\t")
            for group in range(21):
                middle = chance.choice(found)[0] if group else chance.randrange(1136073600, 2000000000)
                rows = window(zone, middle // 60 * 60 - 2 * 86400, 4)
                for _ in range(count // 21):
                    text = " ".join([chance.choice(MINUTES), chance.choice(HOURS), chance.choice(DAYS),
                                     "*", chance.choice(WEEKDAYS)])
                    start = middle - chance.choice([chance.randrange(86400), chance.randrange(14400), -chance.randrange(7200)])
                    all_dates, end = dates(rows, text, start, 150)
                    print("chain", text, start, end, *all_dates, sep="\\t")
        """
}
