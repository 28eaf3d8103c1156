// SPDX-License-Identifier: Apache-2.0

/// Makes text from outside fit to be shown: bounded, on one line, without control characters.
enum DiagnosticText {
    /// The maximum number of characters of a quoted text.
    static var quoteLimit: Int { 64 }

    /// Returns the text between backticks, cut to `quoteLimit` characters.
    static func quoted(_ text: String) -> String {
        var shown = visible(text.unicodeScalars.prefix(quoteLimit))
        if text.unicodeScalars.dropFirst(quoteLimit).first != nil { shown += "…" }
        return "`\(shown)`"
    }

    /// Replaces every character that would move the cursor or reorder the line by one that shows.
    ///
    /// Replaces each character by one character, so that columns still match.
    static func visible(_ text: some Sequence<Unicode.Scalar>) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text { shown.append(isHarmful(scalar) ? "\u{FFFD}" : scalar) }
        return String(shown)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true  // control characters
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // writing direction
        case 0x2028, 0x2029: true  // separators of lines and paragraphs
        default: false
        }
    }
}
