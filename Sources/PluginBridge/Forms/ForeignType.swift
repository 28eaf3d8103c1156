// SPDX-License-Identifier: Apache-2.0
@preconcurrency import CFFI
import Scheduling

/// libffi's descriptions of types: C globals, constant, with stable addresses. Each address is
/// taken once: taking it counts as writing to the global.
enum ForeignType {
    nonisolated(unsafe) static let void = withUnsafeMutablePointer(to: &ffi_type_void) { $0 }
    nonisolated(unsafe) private static let uint8 =
        withUnsafeMutablePointer(to: &ffi_type_uint8) { $0 }
    nonisolated(unsafe) private static let uint16 =
        withUnsafeMutablePointer(to: &ffi_type_uint16) { $0 }
    nonisolated(unsafe) private static let uint32 =
        withUnsafeMutablePointer(to: &ffi_type_uint32) { $0 }
    nonisolated(unsafe) private static let uint64 =
        withUnsafeMutablePointer(to: &ffi_type_uint64) { $0 }
    nonisolated(unsafe) private static let int8 =
        withUnsafeMutablePointer(to: &ffi_type_sint8) { $0 }
    nonisolated(unsafe) private static let int16 =
        withUnsafeMutablePointer(to: &ffi_type_sint16) { $0 }
    nonisolated(unsafe) private static let int32 =
        withUnsafeMutablePointer(to: &ffi_type_sint32) { $0 }
    nonisolated(unsafe) private static let int64 =
        withUnsafeMutablePointer(to: &ffi_type_sint64) { $0 }
    nonisolated(unsafe) private static let float =
        withUnsafeMutablePointer(to: &ffi_type_float) { $0 }
    nonisolated(unsafe) private static let double =
        withUnsafeMutablePointer(to: &ffi_type_double) { $0 }
    nonisolated(unsafe) private static let pointer =
        withUnsafeMutablePointer(to: &ffi_type_pointer) { $0 }

    static func of(_ type: CallType) -> UnsafeMutablePointer<ffi_type> {
        switch type {
        case .void: void
        case .bool, .uint8: uint8
        case .uint16: uint16
        case .uint32: uint32
        case .uint64: uint64
        case .int8: int8
        case .int16: int16
        case .int32: int32
        case .int64: int64
        case .float: float
        case .double: double
        case .text, .bytes: pointer
        }
    }

    static func of(_ type: EventType) -> UnsafeMutablePointer<ffi_type> {
        switch type {
        case .bool: uint8
        case .int32: int32
        case .int64: int64
        case .double: double
        case .text: pointer
        }
    }
}
