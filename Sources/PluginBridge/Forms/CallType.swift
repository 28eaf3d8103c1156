// SPDX-License-Identifier: Apache-2.0

/// The types of C a `call` can pass and take back, as the language of signatures names them.
///
/// There are no words for structs by value and for a variable number of arguments: nothing that
/// needs them can be called.
package enum CallType: String, Hashable, Sendable, CaseIterable {
    /// Only as a result.
    case void
    case bool
    case int8
    case int16
    case int32
    case int64
    case uint8
    case uint16
    case uint32
    case uint64
    case float
    case double
    /// `const char *`, NUL-terminated.
    case text
    /// `const void *`, whose length is passed beside it.
    case bytes

    /// The values of a whole number: its least and its greatest, the latter as 64 bits. Nil for
    /// what is no whole number.
    var range: (least: Int64, greatest: UInt64)? {
        switch self {
        case .int8: (Int64(Int8.min), UInt64(Int8.max))
        case .int16: (Int64(Int16.min), UInt64(Int16.max))
        case .int32: (Int64(Int32.min), UInt64(Int32.max))
        case .int64: (Int64.min, UInt64(Int64.max))
        case .uint8: (0, UInt64(UInt8.max))
        case .uint16: (0, UInt64(UInt16.max))
        case .uint32: (0, UInt64(UInt32.max))
        case .uint64: (0, UInt64.max)
        case .void, .bool, .float, .double, .text, .bytes: nil
        }
    }

    var isInteger: Bool { range != nil }
    var isSigned: Bool { range.map { $0.least < 0 } ?? false }
    var isFloating: Bool { self == .float || self == .double }
}
