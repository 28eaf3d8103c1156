// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One parameter of an event, of the type that the manifest declares for it.
public enum EventValue: Hashable, Sendable {
    /// `bool` in the manifest.
    case bool(Bool)
    /// `int32` in the manifest.
    case int32(Int32)
    /// `int64` in the manifest.
    case int64(Int64)
    /// `double` in the manifest.
    case double(Double)
    /// `text` in the manifest; it is copied.
    case text(String)

    /// Lends the values as the array the C interface takes; valid inside `body` only.
    static func withArray<Result>(
        of values: [EventValue], _ body: (UnsafeBufferPointer<curfew_value>) -> Result
    ) -> Result {
        // All texts in one piece of memory, so that every pointer is good at the same time.
        var texts: [UInt8] = []
        var ranges: [Range<Int>] = []
        for value in values {
            let start = texts.count
            if case .text(let text) = value { texts.append(contentsOf: text.utf8) }
            ranges.append(start..<texts.count)
        }
        texts.append(0)
        return texts.withUnsafeBytes { bytes in
            let base = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let array = zip(values, ranges).map { value, range in
                var wire = curfew_value()
                wire.struct_size = UInt32(MemoryLayout<curfew_value>.size)
                switch value {
                case .bool(let bool):
                    wire.type = curfew_type(CURFEW_TYPE_BOOL)
                    wire.integer = bool ? 1 : 0
                case .int32(let integer):
                    wire.type = curfew_type(CURFEW_TYPE_INT32)
                    wire.integer = Int64(integer)
                case .int64(let integer):
                    wire.type = curfew_type(CURFEW_TYPE_INT64)
                    wire.integer = integer
                case .double(let number):
                    wire.type = curfew_type(CURFEW_TYPE_DOUBLE)
                    wire.number = number
                case .text:
                    wire.type = curfew_type(CURFEW_TYPE_TEXT)
                    wire.text = base?.advanced(by: range.lowerBound)
                    wire.text_bytes = UInt64(range.count)
                }
                return wire
            }
            return array.withUnsafeBufferPointer(body)
        }
    }
}
