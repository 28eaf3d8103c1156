// SPDX-License-Identifier: Apache-2.0

/// Writes a line with the default severity.
public func os_log(_ message: OSLogMessage) { Logger().log(message) }

/// Writes a line.
public func os_log(_ type: OSLogType, _ message: OSLogMessage) {
    Logger().log(level: type, message)
}
