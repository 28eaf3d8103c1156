// SPDX-License-Identifier: Apache-2.0

/// Reads the two files of minisign: signatures and public keys.
///
/// Stricter than minisign itself: no byte may be left over, lines end with a line feed alone, and
/// Base64 has one spelling for each value. What is accepted here minisign reads in the same way.
package enum MinisignReader {
    /// The maximum number of bytes of a file.
    package static var sizeLimit: Int { 4_096 }

    private static let untrusted = "untrusted comment: "
    private static let trusted = "trusted comment: "

    /// Reads a signature. Only prehashed ones (`ED`) are accepted: a legacy signature (`Ed`) is made
    /// of the file itself, so that one could be passed off as that of another kind of file.
    package static func signature(_ bytes: [UInt8]) throws(MinisignFault) -> MinisignSignature {
        let lines = try lines(of: bytes, count: 4)
        _ = try comment(lines, 0, after: untrusted)
        let body = try decoded(lines, 1, count: 74)
        guard body[0] == UInt8(ascii: "E") else { throw .algorithm }
        switch body[1] {
        case UInt8(ascii: "D"): break
        case UInt8(ascii: "d"): throw .legacy
        default: throw .algorithm
        }
        let comment = try comment(lines, 2, after: trusted)
        let global = try decoded(lines, 3, count: 64)
        return MinisignSignature(
            key: MinisignKeyID(body[2..<10]), signature: Array(body[10...]), comment: comment,
            globalSignature: global)
    }

    /// Reads a public key.
    package static func key(_ bytes: [UInt8]) throws(MinisignFault) -> MinisignKey {
        let lines = try lines(of: bytes, count: 2)
        let comment = try comment(lines, 0, after: untrusted)
        let body = try decoded(lines, 1, count: 42)
        guard body[0] == UInt8(ascii: "E"), body[1] == UInt8(ascii: "d") else { throw .algorithm }
        return MinisignKey(
            id: MinisignKeyID(body[2..<10]), bytes: Array(body[10...]), comment: comment)
    }

    /// Splits a file into its lines; the line feed at the end may be missing.
    private static func lines(
        of bytes: [UInt8], count: Int
    ) throws(MinisignFault) -> [ArraySlice<UInt8>] {
        guard bytes.count <= sizeLimit else { throw .tooLarge }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        guard lines.count == count else { throw .lines(lines.count, expected: count) }
        return lines
    }

    /// Returns the text after the words at the beginning of a line.
    private static func comment(
        _ lines: [ArraySlice<UInt8>], _ index: Int, after words: String
    ) throws(MinisignFault) -> String {
        guard let text = String(validating: lines[index], as: UTF8.self),
            text.unicodeScalars.allSatisfy({ !(0..<0x20 ~= $0.value || 0x7F..<0xA0 ~= $0.value) })
        else { throw .notText(line: index + 1) }
        guard text.utf8.starts(with: words.utf8) else {
            throw .comment(line: index + 1, expected: words)
        }
        return String(Substring(text.utf8.dropFirst(words.utf8.count)))
    }

    /// Decodes a line of Base64 of exactly so many bytes.
    private static func decoded(
        _ lines: [ArraySlice<UInt8>], _ index: Int, count: Int
    ) throws(MinisignFault) -> [UInt8] {
        guard let bytes = Base64.bytes(lines[index]), bytes.count == count else {
            throw .base64(line: index + 1, bytes: count)
        }
        return bytes
    }
}
