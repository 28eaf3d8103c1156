// SPDX-License-Identifier: Apache-2.0
import AppHost

/// The severity of a line, by Apple's names and numbers.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8
    /// Takes any number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Something has happened.
    public static let `default` = OSLogType(rawValue: 0)
    /// Something that helps to understand others.
    public static let info = OSLogType(rawValue: 1)
    /// Something for the search of a fault.
    public static let debug = OSLogType(rawValue: 2)
    /// Something was not done.
    public static let error = OSLogType(rawValue: 0x10)
    /// A fault of the program or of the system.
    public static let fault = OSLogType(rawValue: 0x11)

    var level: AppLogLevel {
        switch self {
        case .debug: .debug
        case .error, .fault: .error
        default: .info
        }
    }
}
