// SPDX-License-Identifier: Apache-2.0

/// A file of minisign does not have the form that ``MinisignReader`` reads.
package enum MinisignFault: Error, Hashable, Sendable {
    /// It has more bytes than the limit.
    case tooLarge
    /// A line is not UTF-8, or has a control character in it.
    case notText(line: Int)
    /// It has another number of lines.
    case lines(Int, expected: Int)
    /// A line does not begin with the words that belong there.
    case comment(line: Int, expected: String)
    /// A line is not Base64 of so many bytes.
    case base64(line: Int, bytes: Int)
    /// The signature is of minisign's first algorithm, which signs the file itself.
    case legacy
    /// The first two bytes of the second line name no algorithm of minisign.
    case algorithm

    /// What is wrong, to be put after the name of the file.
    package var message: String {
        switch self {
        case .tooLarge: "has more than \(MinisignReader.sizeLimit) bytes"
        case .notText(let line):
            "has something other than printable UTF-8 in line \(line)"
        case .lines(let found, let expected):
            "has \(found) \(found == 1 ? "line" : "lines"), expected \(expected)"
        case .comment(let line, let expected):
            "does not have \"\(expected)\" at the beginning of line \(line)"
        case .base64(let line, let bytes): "does not have Base64 of \(bytes) bytes in line \(line)"
        case .legacy: "is a signature of the legacy algorithm Ed"
        case .algorithm: "is of an algorithm that minisign does not have"
        }
    }
}
