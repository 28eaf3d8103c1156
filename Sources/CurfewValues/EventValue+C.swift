// SPDX-License-Identifier: Apache-2.0
public import CCurfew

extension EventValue {
    /// Copies a value that the host itself has written or checked; an unknown type is read as text.
    package init(copying value: curfew_value) {
        switch EventType(rawValue: value.type) {
        case .bool: self = .bool(value.integer != 0)
        case .int32: self = .int32(Int32(truncatingIfNeeded: value.integer))
        case .int64: self = .int64(value.integer)
        case .double: self = .double(value.number)
        case .text, nil:
            // A text may contain a NUL, so its length counts.
            let bytes = UnsafeRawBufferPointer(
                start: value.text, count: value.text == nil ? 0 : Int(value.text_bytes))
            self = .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns the number of bytes that the texts among `values` take in C, each with its NUL.
    @inlinable package static func textBytes(of values: [EventValue]) -> Int {
        var bytes = 0
        for case .text(let text) in values { bytes += text.utf8.count + 1 }
        return bytes
    }

    /// Passes the values to `body` as the array that the C interface takes, with NUL-terminated
    /// texts. Without values the pointer is nil. The array is valid inside `body` only.
    package static func withForeign<Result>(
        _ values: [EventValue], _ body: (UnsafePointer<curfew_value>?, UInt32) -> Result
    ) -> Result {
        guard !values.isEmpty else { return body(nil, 0) }
        return withUnsafeTemporaryAllocation(
            byteCount: max(1, textBytes(of: values)), alignment: 1
        ) { bytes in
            guard var texts = bytes.baseAddress else { return body(nil, 0) }
            let array = values.map { curfew_value($0, texts: &texts) }
            return array.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
        }
    }
}

extension curfew_value {
    /// Creates the C form of a value. A text is copied to `texts` with a NUL, and `texts` advances
    /// past it.
    @inlinable package init(_ value: EventValue, texts: inout UnsafeMutableRawPointer) {
        self.init()
        struct_size = UInt32(MemoryLayout<curfew_value>.size)
        type = value.type.rawValue
        switch value {
        case .bool(let flag): integer = flag ? 1 : 0
        case .int32(let number): integer = Int64(number)
        case .int64(let number): integer = number
        case .double(let double): number = double
        case .text(let string):
            var string = string
            let length = string.withUTF8 { bytes in
                texts.copyMemory(
                    from: bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!, byteCount: bytes.count
                )
                return bytes.count
            }
            (texts + length).storeBytes(of: 0, as: UInt8.self)
            text = UnsafePointer(texts.assumingMemoryBound(to: CChar.self))
            text_bytes = UInt64(length)
            texts += length + 1
        }
    }
}
