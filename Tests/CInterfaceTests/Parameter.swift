// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One parameter of an event.
enum Parameter: Hashable, Sendable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    case text(String)

    /// Reads what the host delivers.
    init?(_ value: curfew_value) {
        switch Int(value.type) {
        case CURFEW_TYPE_BOOL: self = .bool(value.integer != 0)
        case CURFEW_TYPE_INT32: self = .int32(Int32(truncatingIfNeeded: value.integer))
        case CURFEW_TYPE_INT64: self = .int64(value.integer)
        case CURFEW_TYPE_DOUBLE: self = .double(value.number)
        case CURFEW_TYPE_TEXT:
            guard let text = value.text else { return nil }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(value.text_bytes))
            self = .text(String(decoding: bytes, as: UTF8.self))
        default: return nil
        }
    }

    /// Calls `body` with the parameters as C has them.
    static func withValues<Result>(
        _ parameters: [Parameter], _ body: (UnsafePointer<curfew_value>?, UInt32) -> Result
    ) -> Result {
        var texts: [UnsafeMutablePointer<CChar>] = []
        defer { for text in texts { text.deallocate() } }
        let values = parameters.map { parameter -> curfew_value in
            var value = curfew_value()
            value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            switch parameter {
            case .bool(let flag):
                value.type = curfew_type(CURFEW_TYPE_BOOL)
                value.integer = flag ? 1 : 0
            case .int32(let number):
                value.type = curfew_type(CURFEW_TYPE_INT32)
                value.integer = Int64(number)
            case .int64(let number):
                value.type = curfew_type(CURFEW_TYPE_INT64)
                value.integer = number
            case .double(let number):
                value.type = curfew_type(CURFEW_TYPE_DOUBLE)
                value.number = number
            case .text(let text):
                let utf8 = text.utf8CString
                let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: utf8.count)
                _ = copy.initialize(from: utf8)
                texts.append(copy.baseAddress!)
                value.type = curfew_type(CURFEW_TYPE_TEXT)
                value.text = UnsafePointer(copy.baseAddress)
                value.text_bytes = UInt64(utf8.count - 1)
            }
            return value
        }
        return values.withUnsafeBufferPointer {
            body($0.isEmpty ? nil : $0.baseAddress, UInt32($0.count))
        }
    }
}
