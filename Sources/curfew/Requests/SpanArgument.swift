// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads spans between dates: durations as everywhere, and days.
enum SpanArgument {
    /// The accepted forms, for help.
    static let forms = "90s, 15min, 2h, 1d"

    /// Returns nanoseconds, or nil where it is none.
    static func parse(_ text: String) -> UInt64? {
        ManifestDuration.span(text.utf8.last == UInt8(ascii: "m") ? text + "in" : text)
    }

    /// - Parameter name: what the text was given for, as it is typed: `--after`, or `advance=`.
    static func value(
        _ text: String, for name: String, range: ClosedRange<UInt64>
    ) throws(CommandError) -> UInt64 {
        if let nanoseconds = parse(text), range.contains(nanoseconds) { return nanoseconds }
        let hasTooManyDigits = ManifestDuration.hasTooManyDigits(
            text.hasSuffix("d") ? text.dropLast() + "h" : text.hasSuffix("m") ? text + "in" : text)
        if parse(text) != nil || hasTooManyDigits {
            throw CommandError(
                .usage, "`\(TypedValue.text(text, after: name))` is out of bounds",
                notes: ["nothing was done"],
                help: [
                    "write a span \(bounds(range))"
                        + (hasTooManyDigits ? ", with \(DurationArgument.digits)" : "")
                ])
        }
        let example = "`\(TypedValue.text("15min", after: name))`"
        let help =
            if let meant = ManifestDuration.suggestion(for: text, in: range) {
                "did you mean `\(TypedValue.text(meant, after: name))`?"
            } else if ManifestDuration.suggestion(for: text) != nil {
                "write a span \(bounds(range)): \(example)"
            } else {
                "write a number and one of ms, s, min, h, d: \(example)"
            }
        throw CommandError(
            .usage, "`\(text)` is not a span of time", notes: ["nothing was done"], help: [help])
    }

    private static func bounds(_ range: ClosedRange<UInt64>) -> String {
        range.lowerBound == 1
            ? "of more than 0 s and at most \(days(range.upperBound))"
            : "from \(TimeText.limit(range.lowerBound)) to \(days(range.upperBound))"
    }

    private static func days(_ nanoseconds: UInt64) -> String {
        let day: UInt64 = 86_400_000_000_000
        return nanoseconds >= day ? "\(nanoseconds / day) days" : TimeText.limit(nanoseconds)
    }
}
