// SPDX-License-Identifier: Apache-2.0

/// SHA-256 of a library's bytes, as text.
package enum LibraryDigest {
    /// Returns whether a text is 64 hexadecimal digits, lower-case or upper-case.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20
            }
    }

    /// In lower-case hexadecimal digits.
    package static func sha256(_ bytes: UnsafeRawBufferPointer) throws(BridgeError) -> String {
        try CryptoLibrary.sha256(bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
