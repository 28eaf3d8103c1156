// SPDX-License-Identifier: Apache-2.0

/// Durations as a manifest writes them, a number and a unit: `250ms`, `30s`, `1.5min`, `1h`.
package enum ManifestDuration {
    /// The units and their nanoseconds.
    static let units: [(name: String, nanoseconds: UInt64)] = [
        ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    private static let days: [(name: String, nanoseconds: UInt64)] = [("d", 86_400_000_000_000)]

    /// The maximum number of digits before and after the point.
    static var digitLimit: Int { 9 }

    /// Returns nanoseconds, rounded down to a whole one; nil when it is not written as a duration.
    package static func parse(_ text: String) -> UInt64? { parse(text, in: units) }

    private static func parse(
        _ text: String, in units: [(name: String, nanoseconds: UInt64)]
    ) -> UInt64? {
        var rest = text.utf8[...]
        guard rest.count <= 2 * digitLimit + 8, let whole = digits(&rest) else { return nil }
        var fraction: (value: UInt64, scale: UInt64) = (0, 1)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard let digits = digits(&rest) else { return nil }
            fraction = digits
        }
        guard let unit = units.first(where: { $0.name.utf8.elementsEqual(rest) }) else {
            return nil
        }
        // Nine digits of hours are 3.6e21 ns: more than 64 bits, and far past every limit.
        let (product, tooMuch) = whole.value.multipliedReportingOverflow(by: unit.nanoseconds)
        if tooMuch { return .max }
        // A fraction is below 1, so its part of the unit does fit after a division.
        let part = (fraction.value.multipliedFullWidth(by: unit.nanoseconds))
        let (sum, overflow) = product.addingReportingOverflow(
            fraction.scale.dividingFullWidth(part).quotient)
        return overflow ? .max : sum
    }

    /// Returns the nanoseconds of a span between dates: a duration, or days of 24 hours as in `2d`. Returns
    /// nil if the text is neither.
    package static func span(_ text: String) -> UInt64? {
        parse(text, in: text.utf8.last == UInt8(ascii: "d") ? days : units)
    }

    /// Writes a span as `span` reads it.
    package static func spanText(_ nanoseconds: UInt64) -> String {
        let day: UInt64 = 86_400_000_000_000
        return nanoseconds >= day && nanoseconds.isMultiple(of: day)
            ? "\(nanoseconds / day)d" : text(nanoseconds)
    }

    /// Writes nanoseconds with the largest unit that gives a whole number.
    static func text(_ nanoseconds: UInt64) -> String {
        for unit in units.reversed() where nanoseconds.isMultiple(of: unit.nanoseconds) {
            if nanoseconds > 0 { return "\(nanoseconds / unit.nanoseconds)\(unit.name)" }
        }
        return nanoseconds == 0 ? "0s" : "\(nanoseconds)ns"
    }

    /// Returns whether the text is a duration whose number has too many digits before the point.
    package static func hasTooManyDigits(_ text: String) -> Bool {
        let whole = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return whole.count > digitLimit
            && parse("1" + String(decoding: text.utf8.dropFirst(whole.count), as: UTF8.self)) != nil
    }

    /// Returns the duration that was probably meant by another spelling; nil if it is outside of
    /// `range`, and would be refused as well.
    package static func suggestion(
        for text: String, in range: ClosedRange<UInt64> = 0...UInt64.max
    ) -> String? {
        let plain = text.utf8.prefix(40).filter { $0 != UInt8(ascii: " ") }
        let lower = String(decoding: plain, as: UTF8.self).lowercased()
        let number = lower.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let spellings: [Substring: String] = [
            "ms": "ms", "msec": "ms", "millis": "ms", "milliseconds": "ms", "": "s", "s": "s",
            "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "min", "min": "min",
            "mins": "min", "minute": "min", "minutes": "min", "h": "h", "hr": "h", "hour": "h",
            "hours": "h",
        ]
        guard let unit = spellings[lower.dropFirst(number.count)] else { return nil }
        let suggestion = number + unit
        guard let nanoseconds = parse(String(suggestion)), range.contains(nanoseconds) else {
            return nil
        }
        return String(suggestion)
    }

    /// Reads one to nine digits and returns their value and ten to the power of their number.
    private static func digits(_ rest: inout Substring.UTF8View) -> (value: UInt64, scale: UInt64)?
    {
        var value: UInt64 = 0
        var scale: UInt64 = 1
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            guard scale < 1_000_000_000 else { return nil }
            value = value * 10 + UInt64(byte - UInt8(ascii: "0"))
            scale *= 10
            rest.removeFirst()
        }
        return scale > 1 ? (value, scale) : nil
    }
}
