// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Returns how many bytes at the beginning are well-formed UTF-8 (Unicode, table 3-7).
    static func validPrefix(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset < bytes.count {
            // Eight of ASCII at a time.
            while offset <= bytes.count - 8,
                raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    & 0x8080_8080_8080_8080 == 0
            { offset += 8 }
            if offset == bytes.count { break }
            let length = sequenceLength(in: bytes, at: offset)
            if length == 0 { return offset }
            offset += length
        }
        return offset
    }

    /// Returns the length of the character that begins at `offset`, or 0 where none does.
    private static func sequenceLength(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int
    {
        let length: Int
        // The second byte excludes overlong forms, surrogates, and values above U+10FFFF.
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[offset] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return 0 }
        for rest in bytes[(offset + 2)..<(offset + length)] where rest & 0xC0 != 0x80 { return 0 }
        return length
    }
}
