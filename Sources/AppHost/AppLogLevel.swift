// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line.
public enum AppLogLevel: Int32, Sendable, Comparable {
    case debug = 0
    case info = 1
    case warning = 2
    case error = 3

    public static func < (one: AppLogLevel, other: AppLogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}
