// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads durations as manifests write them.
enum DurationArgument {
    /// The message for a number with too many digits.
    static let digits = "nine digits before the point at most"

    /// Returns nanoseconds, or nil when the option was not given.
    static func value(
        of option: CommandOption, in arguments: Arguments, range: ClosedRange<UInt64>
    ) throws(CommandError) -> UInt64? {
        guard let text = arguments.value(option) else { return nil }
        let nanoseconds = ManifestDuration.parse(text)
        if let nanoseconds, range.contains(nanoseconds) { return nanoseconds }
        let bounds =
            "write a duration from \(TimeText.limit(range.lowerBound)) to \(TimeText.limit(range.upperBound))"
        let hasTooManyDigits = ManifestDuration.hasTooManyDigits(text)
        if nanoseconds != nil || hasTooManyDigits {
            throw CommandError(
                .usage, "`--\(option.name) \(text)` is out of bounds",
                help: [bounds + (hasTooManyDigits ? ", with \(digits)" : "")])
        }
        let help =
            if let meant = ManifestDuration.suggestion(for: text, in: range) {
                "did you mean `--\(option.name) \(meant)`?"
            } else if ManifestDuration.suggestion(for: text) != nil {
                bounds + ": `--\(option.name) 30s`"
            } else {
                "write a number and one of ms, s, min, h: `--\(option.name) 30s`"
            }
        throw CommandError(.usage, "`\(text)` is not a duration", help: [help])
    }
}
