// SPDX-License-Identifier: Apache-2.0

/// The severity of a line in the host's log.
public enum LogLevel: Int32, Sendable, CaseIterable {
    case debug = 0
    case info = 1
    case warning = 2
    case error = 3
}
