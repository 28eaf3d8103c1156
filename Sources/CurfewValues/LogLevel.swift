// SPDX-License-Identifier: Apache-2.0

/// The severity of a line in the host's log, as `curfew_log_level`.
public enum LogLevel: Int32, Sendable, CaseIterable, Comparable {
    /// Details for finding a fault.
    case debug = 0
    /// Normal operation.
    case info = 1
    /// Work goes on, but an operator should know.
    case warning = 2
    /// Something was not done.
    case error = 3
    /// A plugin broke a rule of the contract. The host's own: a plugin's line at this level is
    /// written as an error.
    case pluginMisbehaving = 4

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
