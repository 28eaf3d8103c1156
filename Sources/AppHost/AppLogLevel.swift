// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line.
public enum AppLogLevel: Int32, Sendable, Comparable {
    /// For debugging.
    case debug = 0
    /// A normal event.
    case info = 1
    /// A problem; work continues.
    case warning = 2
    /// An operation failed.
    case error = 3

    public static func < (one: AppLogLevel, other: AppLogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}
