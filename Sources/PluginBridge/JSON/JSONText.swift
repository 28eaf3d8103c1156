// SPDX-License-Identifier: Apache-2.0

/// Texts as JSON writes them.
package enum JSONText {
    /// Returns a text in quotes. Control characters, also those beyond ASCII that a terminal would obey,
    /// go as escapes: what is written can be looked at.
    package static func quoted(_ text: String) -> String {
        var result = ""
        append(text, to: &result)
        return result
    }

    /// Appends a text in quotes.
    package static func append(_ text: String, to result: inout String) {
        result += "\""
        if text.utf8.allSatisfy(isPlain) { result += text } else { escape(text, into: &result) }
        result += "\""
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func escape(_ text: String, into result: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
