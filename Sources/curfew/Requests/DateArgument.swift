// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// Reads dates as ISO 8601 has them: `2026-12-24`, `2026-12-24T18:00`, `2026-12-24T18:00:30.5Z`,
/// `2026-12-24T18:00+01:00`. Without a zone they are the machine's.
enum DateArgument {
    /// Why a text is no date, to be put after it: lower case, no full stop.
    struct Fault: Error {
        let reason: String
    }

    /// What help says of how they are written.
    static let forms = "2026-12-24T18:00, or with a zone, 2026-12-24T18:00Z"

    /// Returns nanoseconds since 1970 in UTC.
    ///
    /// - Parameter name: what the text was given for, as it is typed: `--at`.
    static func value(_ text: String, for name: String) throws(CommandError) -> Int64 {
        do throws(Fault) {
            return try parse(text, in: LocalZone())
        } catch {
            throw CommandError(
                .usage, "`\(text)` \(error.reason)", notes: ["nothing was done"],
                help: ["write a date of the machine's zone, or with a zone: `\(name) \(forms)`"])
        }
    }

    static func parse(_ text: String, in zone: some TimeZoneRules) throws(Fault) -> Int64 {
        var rest = Substring(text)
        guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2),
            take("-", &rest), let day = number(&rest, 2)
        else { throw Fault(reason: "is not a date") }
        guard (1970...2200).contains(year) else {
            throw Fault(reason: "is not in the years 1970 to 2200")
        }
        guard (1...12).contains(month),
            (1...CivilTime.daysIn(month: month, of: year)).contains(day)
        else { throw Fault(reason: "is no day of the calendar") }
        var wall = CivilTime(year: year, month: month, day: day)
        guard !rest.isEmpty else { return try instant(wall.seconds, nil, zone) * 1_000_000_000 }
        guard take("T", &rest) || take("t", &rest) || take(" ", &rest),
            let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2)
        else { throw Fault(reason: "has a time that is not written as 18:00") }
        let (second, fraction) = try seconds(&rest)
        guard hour < 24, minute < 60, second < 60 else {
            throw Fault(reason: "has a time that no clock shows")
        }
        (wall.hour, wall.minute) = (hour, minute)
        let offset = try offset(&rest)
        guard rest.isEmpty else { throw Fault(reason: "has `\(rest)` at its end") }
        let instant = try instant(wall.seconds, offset, zone) + Int64(second)
        return instant * 1_000_000_000 + fraction
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

    /// When a wall's clock shows that, the first time.
    private static func instant(
        _ shown: Int64, _ offset: Int64?, _ zone: some TimeZoneRules
    ) throws(Fault) -> Int64 {
        if let offset { return shown - offset }
        // Zones change a few times a year, and by less than a day.
        let offsets = [shown - 86_400, shown + 86_400].map { zone.offset(at: $0) }
        for offset in [offsets.max() ?? 0, offsets.min() ?? 0]
        where zone.offset(at: shown - offset) == offset {
            return shown - offset
        }
        throw Fault(reason: "does not exist here: the clock is set forward over it")
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
