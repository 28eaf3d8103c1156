// SPDX-License-Identifier: Apache-2.0

/// Reads whole numbers: digits, and nothing else.
enum NumberArgument {
    static func parse(_ text: String) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt64(text)
    }

    /// - Parameter name: what the text was given for, as it is typed: `--limit`, or `submit:attempts=`.
    static func value(
        _ text: String, for name: String, range: ClosedRange<UInt64>
    ) throws(CommandError) -> UInt64 {
        guard let number = parse(text), range.contains(number) else {
            let bounds =
                range.upperBound < Int64.max
                ? "from \(range.lowerBound) to \(Shown.number(range.upperBound))"
                : "from \(range.lowerBound) on"
            let example = TypedValue.text("\(max(10, range.lowerBound))", after: name)
            throw CommandError(
                .usage, "`\(TypedValue.text(text, after: name))` is not a number \(bounds)",
                notes: ["nothing was done"], help: ["write `\(example)`"])
        }
        return number
    }

    /// The number of `--limit`, or 100.
    static func limit(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let text = arguments.value(.limit) else { return 100 }
        return Int(clamping: try value(text, for: "--limit", range: 1...10_000_000))
    }
}
