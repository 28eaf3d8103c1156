// SPDX-License-Identifier: Apache-2.0

/// Bytes as text, RFC 4648 section 4.
enum Base64 {
    static func text(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
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
}
