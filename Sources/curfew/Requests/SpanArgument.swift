// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads spans between dates: durations as everywhere, and days.
enum SpanArgument {
    /// What help says of how they are written.
    static let forms = "90s, 15min, 2h, 1d"

    /// Returns nanoseconds, or nil where it is none.
    static func parse(_ text: String) -> UInt64? {
        if text.hasSuffix("d") {
            // Days have as many hours as they do in UTC.
            guard let hours = ManifestDuration.parse(text.dropLast() + "h") else { return nil }
            let (days, overflow) = hours.multipliedReportingOverflow(by: 24)
            return overflow ? .max : days
        }
        if text.hasSuffix("m"), let minutes = ManifestDuration.parse(text + "in") {
            return minutes
        }
        return ManifestDuration.parse(text)
    }

    /// - Parameter name: what the text was given for, as it is typed: `--after`.
    static func value(
        _ text: String, for name: String, range: ClosedRange<UInt64>
    ) throws(CommandError) -> UInt64 {
        guard let nanoseconds = parse(text) else {
            let meant = ManifestDuration.suggestion(for: text)
            throw CommandError(
                .usage, "`\(text)` is not a span of time",
                notes: ["nothing was done"],
                help: [
                    meant.map { "did you mean `\(name) \($0)`?" }
                        ?? "write a number and one of ms, s, min, h, d: `\(name) 15min`"
                ])
        }
        guard range.contains(nanoseconds) else {
            throw CommandError(
                .usage, "`\(name) \(text)` is out of bounds",
                notes: ["nothing was done"],
                help: [
                    "write a span from \(TimeText.limit(range.lowerBound)) to \(days(range.upperBound))"
                ])
        }
        return nanoseconds
    }

    private static func days(_ nanoseconds: UInt64) -> String {
        let day: UInt64 = 86_400_000_000_000
        return nanoseconds >= day ? "\(nanoseconds / day) days" : TimeText.limit(nanoseconds)
    }
}
