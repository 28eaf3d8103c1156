// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line.
public enum AppLogLevel: Int32, Sendable, Comparable {
    /// For debugging.
    case debug = 0
    /// A normal event.
    case info = 1
    /// Something is not as it should be, and goes on.
    case warning = 2
    /// Something was not done.
    case error = 3

    public static func < (one: AppLogLevel, other: AppLogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}
