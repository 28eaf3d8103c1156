// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line, as `curfew_log_level`.
package enum LogLevel: Int32, Sendable, Comparable {
    /// For who looks for a fault.
    case debug = 0
    /// A normal event.
    case info = 1
    /// The host continues, but a person should know.
    case warning = 2
    /// Something was not done.
    case error = 3
    /// The host's: a plugin broke a rule of the contract.
    case pluginMisbehaving = 4

    package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
