// SPDX-License-Identifier: Apache-2.0
import CCurfew
internal import Glibc
import Scheduling

/// Values of an event as C gets them, for the time of a call.
enum ForeignValues {
    /// The texts are NUL-terminated. Without values the pointer is nil.
    static func with(
        _ values: [EventValue], _ body: (UnsafePointer<curfew_value>?, UInt32) -> Void
    ) {
        var texts: [UnsafeMutablePointer<CChar>] = []
        defer { for text in texts { free(text) } }
        let foreign = values.map { value in
            var result = curfew_value()
            result.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            result.type = value.type.rawValue
            switch value {
            case .bool(let flag): result.integer = flag ? 1 : 0
            case .int32(let number): result.integer = Int64(number)
            case .int64(let number): result.integer = number
            case .double(let number): result.number = number
            case .text(let text):
                let copy = strdup(text)!
                texts.append(copy)
                result.text = UnsafePointer(copy)
                result.text_bytes = UInt64(text.utf8.count)
            }
            return result
        }
        foreign.withUnsafeBufferPointer {
            body($0.isEmpty ? nil : $0.baseAddress, UInt32($0.count))
        }
    }
}
