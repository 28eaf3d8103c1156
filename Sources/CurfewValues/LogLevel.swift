// SPDX-License-Identifier: Apache-2.0

/// The severity of a line in the host's log; its values are those of `curfew_log_level`.
public enum LogLevel: Int32, Sendable, CaseIterable, Comparable {
    /// Details for debugging.
    case debug = 0
    /// Normal operation.
    case info = 1
    /// A problem that an operator should know about; work continues.
    case warning = 2
    /// An operation failed.
    case error = 3
    /// A contract violation of a plugin. Only the host uses it: a plugin's line at this level is
    /// logged as an error.
    case pluginMisbehaving = 4

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
