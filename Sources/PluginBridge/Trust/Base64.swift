// SPDX-License-Identifier: Apache-2.0

/// Bytes as text, RFC 4648 section 4.
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            var bits = piece.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - piece.count))
            for place in 0..<4 {
                let isPadding = place > piece.count
                text.append(
                    isPadding
                        ? UInt8(ascii: "=") : letters[Int(bits >> UInt32(18 - 6 * place)) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text, which has no other spelling; nil if it has one, or is no Base64. Bits that are
    /// not used have to be zero, as section 3.5 allows to demand.
    package static func bytes(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let count = text.count
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 4 * 3)
        var word: UInt32 = 0
        var bits = 0
        for letter in text.dropLast(padding) {
            guard let value = value(of: letter) else { return nil }
            word = word << 6 | value
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            word &= (1 << UInt32(bits)) - 1
        }
        return word == 0 && bytes.count == count / 4 * 3 - padding ? bytes : nil
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
