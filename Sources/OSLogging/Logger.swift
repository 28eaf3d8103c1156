// SPDX-License-Identifier: Apache-2.0
import AppHost

/// Writes lines to the log of this program: Apple's structure, on the log of `AppHost`.
///
/// A line goes where `AppHost.Configuration.log` says, by default to stderr; in a plugin to the log of the
/// host around it. It begins with `[subsystem:category]`, as on Apple's console. By default lines for
/// debugging are not shown.
public struct Logger: Sendable {
    private let origin: String

    /// Makes a logger without a subsystem.
    public init() { origin = "" }

    /// Makes a logger whose lines name a part of the program.
    public init(subsystem: String, category: String) { origin = "[\(subsystem):\(category)] " }

    /// Writes a line with the default severity.
    public func log(_ message: OSLogMessage) { write(.info, message) }
    /// Writes a line.
    public func log(level: OSLogType, _ message: OSLogMessage) { write(level.level, message) }
    /// Writes a line for debugging.
    public func trace(_ message: OSLogMessage) { write(.debug, message) }
    /// Writes a line for debugging.
    public func debug(_ message: OSLogMessage) { write(.debug, message) }
    /// Writes a line that helps, and is not essential.
    public func info(_ message: OSLogMessage) { write(.info, message) }
    /// Writes a line with the default severity.
    public func notice(_ message: OSLogMessage) { write(.info, message) }
    /// Writes a line about something that is not as it should be.
    public func warning(_ message: OSLogMessage) { write(.warning, message) }
    /// Writes a line about something that was not done.
    public func error(_ message: OSLogMessage) { write(.error, message) }
    /// Writes a line about a fault of the program.
    public func critical(_ message: OSLogMessage) { write(.error, message) }
    /// Writes a line about a fault of the program.
    public func fault(_ message: OSLogMessage) { write(.error, message) }

    private func write(_ level: AppLogLevel, _ message: OSLogMessage) {
        AppHost.write(level, origin + message.interpolation.text)
    }
}

/// Writes a line with the default severity.
public func os_log(_ message: OSLogMessage) { Logger().log(message) }

/// Writes a line.
public func os_log(_ type: OSLogType, _ message: OSLogMessage) {
    Logger().log(level: type, message)
}
