// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads durations as manifests write them.
enum DurationArgument {
    /// Returns nanoseconds, or nil when the option was not given.
    static func value(
        of option: CommandOption, in arguments: Arguments, range: ClosedRange<UInt64>
    ) throws(CommandError) -> UInt64? {
        guard let text = arguments.value(option) else { return nil }
        guard let nanoseconds = ManifestDuration.parse(text) else {
            let meant = ManifestDuration.suggestion(for: text)
            throw CommandError(
                .usage, "`\(text)` is not a duration",
                help: [
                    meant.map { "did you mean `--\(option.name) \($0)`?" }
                        ?? "write a number and one of ms, s, min, h: `--\(option.name) 30s`"
                ])
        }
        guard range.contains(nanoseconds) else {
            throw CommandError(
                .usage, "`--\(option.name) \(text)` is out of bounds",
                help: [
                    "write a duration from \(TimeText.limit(range.lowerBound)) to \(TimeText.limit(range.upperBound))"
                ])
        }
        return nanoseconds
    }
}
