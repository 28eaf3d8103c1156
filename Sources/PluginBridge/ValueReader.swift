// SPDX-License-Identifier: Apache-2.0
public import CCurfew
public import Scheduling

/// Reads an array of `curfew_value` into values of the host's own.
public enum ValueReader {
    /// The longest text of an event parameter, in bytes; longer ones are cut.
    public static let textLimit = 64 * 1024
    /// Up to and with `text_bytes`, which every version has.
    private static let least = 40

    /// Returns nil for a value of an unknown type or one that does not fit it, a NULL text, or an
    /// impossible size.
    public static func read(_ values: UnsafePointer<curfew_value>?, count: Int) -> [EventValue]? {
        guard count > 0 else { return [] }
        guard let values, count <= EventSelector.arityLimit else { return nil }
        let stride = Int(values.pointee.struct_size)
        guard stride >= least, stride <= 4096, stride % 8 == 0 else { return nil }
        var result: [EventValue] = []
        for index in 0..<count {
            let value = (UnsafeRawPointer(values) + index * stride).load(as: curfew_value.self)
            switch EventType(rawValue: value.type) {
            case .bool: result.append(.bool(value.integer != 0))
            case .int32:
                guard let number = Int32(exactly: value.integer) else { return nil }
                result.append(.int32(number))
            case .int64: result.append(.int64(value.integer))
            case .double: result.append(.double(value.number))
            case .text:
                guard let start = value.text else { return nil }
                let length = Int(min(value.text_bytes, UInt64(textLimit)))
                let bytes = UnsafeRawBufferPointer(start: start, count: length)
                result.append(.text(String(decoding: bytes, as: UTF8.self)))
            case nil: return nil
            }
        }
        return result
    }
}
