// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line.
public enum AppLogLevel: Int32, Sendable, Comparable {
    /// For whoever looks for a fault.
    case debug = 0
    /// What happened.
    case info = 1
    /// Something is not as it should be, and goes on.
    case warning = 2
    /// Something was not done.
    case error = 3

    public static func < (one: AppLogLevel, other: AppLogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}
