// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
        digits(try CryptoLibrary.sha256(bytes))
    }

    /// Reads a file from where its descriptor stands to its end.
    ///
    /// - Parameter path: for messages.
    package static func sha256(of file: Int32, path: String) throws(BridgeError) -> String {
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        return digits(
            try CryptoLibrary.sha256 { () throws(BridgeError) in
                while true {
                    let got = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
                    if got > 0 { return piece[..<got] }
                    if got == 0 { return nil }
                    guard errno == EINTR else {
                        throw BridgeError(
                            .system,
                            "\(path) cannot be read: \(String(cString: strerror(errno)))")
                    }
                }
            })
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
