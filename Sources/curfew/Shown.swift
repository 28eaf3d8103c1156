// SPDX-License-Identifier: Apache-2.0
import Runner

/// Text from outside, made fit to be shown.
enum Shown {
    /// The maximum number of characters of a text.
    static var limit: Int { 2_000 }

    /// Returns the text as one line without control characters.
    static func line(_ text: String) -> String {
        let cut = text.unicodeScalars.prefix(limit)
        let all = cut.endIndex == text.unicodeScalars.endIndex
        return LogLine.clean(all ? text : String(cut) + "…")
    }

    /// The lines of a text, each fit to be shown: what was written with line ends in it.
    static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).prefix(100).map { line(String($0)) }
    }

    /// Between quotation marks, as a parameter of an event.
    static func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars.prefix(limit) {
            if character == "\"" || character == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(character)
        }
        return "\"" + line(escaped) + "\""
    }

    /// Returns the number of terminal columns of the text.
    static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

    /// Returns the text, cut to the columns, with `…` in place of its end.
    static func fitted(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        var result = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            used += width(scalar)
            guard used < columns else { break }
            result.append(scalar)
        }
        return columns > 0 ? String(result) + "…" : ""
    }

    /// Returns the text, cut to the columns, with `…` in place of its beginning.
    static func fittedEnd(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        var kept: [Unicode.Scalar] = []
        var used = 0
        for scalar in text.unicodeScalars.reversed() {
            used += width(scalar)
            guard used < columns else { break }
            kept.append(scalar)
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: kept.reversed())
        return columns > 0 ? "…" + String(result) : ""
    }

    /// Returns the text as lines of at most the given columns, broken between words; longer words
    /// stay whole.
    ///
    /// - Parameter first: how many columns the first line has, if not as many.
    static func wrapped(_ text: String, _ columns: Int, first: Int? = nil) -> [String] {
        guard width(text) > first ?? columns else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let room = lines.isEmpty ? first ?? columns : columns
            if !line.isEmpty, width(line) + 1 + width(String(word)) > room {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    /// `15,960`
    static func number(_ number: UInt64) -> String {
        var digits = String(number)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }

    static func padded(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    static func rightAligned(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width(text))) + text
    }

    /// The locale of the process is its plugins' too, so wcwidth(3) cannot be asked; the blocks of
    /// wide characters are few.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }
}
