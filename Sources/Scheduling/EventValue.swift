// SPDX-License-Identifier: Apache-2.0

/// A parameter of an event.
package enum EventValue: Hashable, Sendable {
    /// True or false.
    case bool(Bool)
    /// A whole number of 32 bits.
    case int32(Int32)
    /// A whole number of 64 bits.
    case int64(Int64)
    /// A floating-point number.
    case double(Double)
    /// UTF-8.
    case text(String)

    /// The type it is declared with.
    package var type: EventType {
        switch self {
        case .bool: .bool
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .text: .text
        }
    }
}
