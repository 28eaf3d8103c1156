// SPDX-License-Identifier: Apache-2.0

/// The severity of a line in the host's log.
public enum LogLevel: Int32, Sendable, CaseIterable {
    /// For who looks for a fault.
    case debug = 0
    /// What happened, all being well.
    case info = 1
    /// It goes on, but somebody should know.
    case warning = 2
    /// Something was not done.
    case error = 3
}
