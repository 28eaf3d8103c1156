// SPDX-License-Identifier: Apache-2.0

/// Times and durations as they are shown; all are nanoseconds.
enum TimeText {
    private static var second: UInt64 { 1_000_000_000 }

    /// Returns seconds with the given decimals, rounded down: `4.112`.
    static func seconds(_ nanoseconds: UInt64, decimals: Int) -> String {
        guard decimals > 0 else { return String(nanoseconds / second) }
        let fraction = String(nanoseconds % second + second).dropFirst()
        return "\(nanoseconds / second)." + fraction.prefix(decimals)
    }

    /// Returns a time limit: `50 ms`, `30 s`, `1.5 s`, `10 min`.
    static func limit(_ nanoseconds: UInt64) -> String {
        for (name, unit) in [("h", 3_600 * second), ("min", 60 * second), ("s", second)]
        where nanoseconds >= unit && nanoseconds.isMultiple(of: unit) {
            return "\(nanoseconds / unit) \(name)"
        }
        if nanoseconds >= second { return spent(nanoseconds) }
        if nanoseconds == 0 || nanoseconds == 1 { return "0 s" }
        return "\(nanoseconds / 1_000_000) ms"
    }

    /// Returns the remaining time in a form of constant width: `25.9 s`, `9 min 41 s`.
    static func countdown(_ nanoseconds: UInt64) -> String {
        nanoseconds < 60 * second
            ? seconds(nanoseconds, decimals: 1) + " s" : spent(nanoseconds)
    }

    /// Returns the elapsed time: `214 ms`, `30.2 s`, `2 min 5 s`.
    static func spent(_ nanoseconds: UInt64) -> String {
        if nanoseconds < 100_000 { return "under 0.1 ms" }
        if nanoseconds < 10_000_000 {
            return seconds(nanoseconds * 1_000, decimals: 1) + " ms"
        }
        if nanoseconds < second { return "\(nanoseconds / 1_000_000) ms" }
        if nanoseconds < 60 * second { return seconds(nanoseconds, decimals: 1) + " s" }
        let seconds = nanoseconds / second
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
}
