// SPDX-License-Identifier: Apache-2.0

/// Reads little-endian numbers from untrusted bytes.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { place == bytes.count }

    /// Reads an integer; returns nil if too few bytes are left.
    mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard bytes.count - place >= size else { return nil }
        var number: Number = 0
        for byte in bytes[place..<place + size].reversed() {
            number = number << 8 | Number(truncatingIfNeeded: byte)
        }
        place += size
        return number
    }
}

extension [UInt8] {
    /// Appends an integer for `ByteReader`.
    mutating func append(integer: some FixedWidthInteger) {
        for shift in stride(from: 0, to: integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }
}
