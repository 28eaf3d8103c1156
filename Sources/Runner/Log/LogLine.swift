// SPDX-License-Identifier: Apache-2.0

/// Sanitizing of text for a log or a terminal.
package enum LogLine {
    /// Escapes control characters, so that foreign text cannot move a cursor or fake a line.
    package static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                result += "\\n"
            } else if scalar == "\t" {
                result += " "
            } else if isControl(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// C0, DEL, C1, line separators and the marks that change the direction of text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028,
            0x2029:
            true
        default: false
        }
    }
}
