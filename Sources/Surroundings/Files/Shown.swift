// SPDX-License-Identifier: Apache-2.0

/// Foreign text as it may stand in a line for people: printable ASCII, and not too long.
enum Shown {
    /// The maximum length of a path or name.
    static let longest = 160

    static func text(_ foreign: String, longest: Int = longest) -> String {
        var shown = ""
        for (index, byte) in foreign.utf8.prefix(longest + 1).enumerated() {
            if index == longest { return shown + "..." }
            shown.unicodeScalars.append(
                byte >= 0x20 && byte < 0x7F
                    ? Unicode.Scalar(byte) : Unicode.Scalar(UInt8(ascii: "?")))
        }
        return shown
    }

    /// 12.34 → "12.3"
    static func tenths(_ number: Double) -> String { ((number * 10).rounded() / 10).description }
}
