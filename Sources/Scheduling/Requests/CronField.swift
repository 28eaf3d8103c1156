// SPDX-License-Identifier: Apache-2.0

/// A field of a cron expression.
package enum CronField: String, Sendable, CaseIterable {
    /// The fields in the order of an expression.
    case minute, hour, day, month, weekday

    /// The allowed values. For weekdays, 7 is Sunday as well as 0.
    package var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .day: 1...31
        case .month: 1...12
        case .weekday: 0...7
        }
    }

    /// The names of the values, from the first value on.
    private var names: [String] {
        switch self {
        case .month:
            [
                "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
            ]
        case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        case .minute, .hour, .day: []
        }
    }

    /// Returns the set of values that a text names: `*`, `5`, `1-5`, `*/15`, `9-17/2`, `mon`, and
    /// lists of them.
    func bits(_ text: String) throws(CronFault) -> UInt64 {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.parts(at: "/", maxSplits: 1, omittingEmpty: false)
            guard let first = halves.first, !first.isEmpty else {
                throw fault("has an empty part", part)
            }
            var step = 1
            if halves.count > 1 {
                guard let number = Self.number(halves[1]), number > 0, number <= range.upperBound
                else {
                    throw fault("has a step that is no number from 1 to \(range.upperBound)", part)
                }
                step = number
            }
            let values = try values(first, isStepped: halves.count > 1)
            for value in stride(from: values.lowerBound, through: values.upperBound, by: step) {
                bits |= 1 << UInt64(value)
            }
        }
        // 7 means 0.
        if self == .weekday, bits >> 7 & 1 != 0 { bits = bits & 0x7F | 1 }
        return bits
    }

    private func values(
        _ text: Substring, isStepped: Bool
    ) throws(CronFault) -> ClosedRange<Int> {
        if text == "*" { return self == .weekday ? 0...6 : range }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0])
        // With a step, a single value is the beginning of a range.
        guard ends.count > 1 else { return isStepped ? first...range.upperBound : first...first }
        let last = try value(ends[1])
        guard first <= last else { throw fault("has a range that goes backwards", text) }
        return first...last
    }

    private func value(_ text: Substring) throws(CronFault) -> Int {
        if let number = Self.number(text), range.contains(number) { return number }
        guard let index = names.firstIndex(of: text.lowercased()) else {
            throw fault("is not in \(range.lowerBound)…\(range.upperBound)", text)
        }
        return index + range.lowerBound
    }

    /// Reads a number of digits only, without sign or blank.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 4,
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(text)
    }

    private func fault(_ what: String, _ part: Substring) -> CronFault {
        let names = names.isEmpty ? "" : " or a name, \(names[1])"
        return CronFault(
            field: self, message: "\"\(part)\" \(what)",
            help:
                "write * or values in \(range.lowerBound)…\(range.upperBound)\(names), such as \(range.lowerBound), \(range.lowerBound)-\(range.upperBound) or */2"
        )
    }
}

/// A fault of a cron expression.
package struct CronFault: Error, Hashable, Sendable {
    /// The faulty field; nil for the whole expression.
    package let field: CronField?
    /// A text that follows the field, or "the expression": lower case, no full stop.
    package let message: String
    /// The correction.
    package let help: String
}
