// SPDX-License-Identifier: Apache-2.0

/// The text of a page of the manual, for man(1): the `man` macros, in ASCII.
struct Roff {
    private(set) var text = ""

    private mutating func put(_ line: String) { text += line + "\n" }

    /// The first lines: a mark by which `make uninstall` knows the page, and its title.
    init(title: String, date: String, source: String) {
        put(#".\" Written by curfew man."#)
        let title = Roff.literal(title.uppercased())
        put(".TH \(title) 1 \(date) \"\(Roff.escaped(source))\" \"User Commands\"")
        // Not justified, not hyphenated: commands must not be broken.
        put(".ad l")
        put(".nh")
    }

    mutating func section(_ title: String) { put(".SH \"\(Roff.escaped(title.uppercased()))\"") }

    /// `curfew\-run \- …`, as apropos(1) wants it.
    mutating func name(_ name: String, _ summary: String) {
        put(Roff.literal(name) + #" \- "# + Roff.escaped(summary))
    }

    mutating func paragraph(_ text: String) {
        put(".PP")
        line(text)
    }

    /// Running text, in lines that an editor shows whole.
    mutating func line(_ text: String) {
        for line in Shown.wrapped(Roff.marked(text), 78) { put(Roff.guarded(line)) }
    }

    /// A term in bold, and what it means below it.
    mutating func item(_ term: String, _ text: String) {
        put(".TP")
        put(#"\fB"# + Roff.literal(term) + #"\fR"#)
        line(text)
    }

    /// Lines that stay as they are.
    mutating func example(_ lines: [String]) {
        put(".RS 4")
        put(".nf")
        for line in lines { put(Roff.guarded(Roff.literal(line))) }
        put(".fi")
        put(".RE")
    }

    // MARK: Escapes

    /// A line is no request because of how it begins.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? #"\&"# + line : line
    }

    /// Text between backticks becomes bold.
    private static func marked(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            index.isMultiple(of: 2)
                ? part.split(separator: " ", omittingEmptySubsequences: false).map { word in
                    // Options and paths are copied too.
                    word.contains("--") || word.utf8.contains(UInt8(ascii: "/"))
                        || word.hasPrefix("-")
                        ? literal(String(word)) : escaped(String(word))
                }.joined(separator: " ")
                : #"\fB"# + literal(String(part)) + #"\fR"#
        }.joined()
    }

    /// Escapes minus signs as well, which roff(7) would print as hyphens.
    private static func literal(_ text: String) -> String {
        escaped(text).replacing("-", with: #"\-"#)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += #"\e"#
            case "\"": result += #"\(dq"#
            case "'": result += #"\(aq"#
            case "`": result += #"\(ga"#
            case "^": result += #"\(ha"#
            case "~": result += #"\(ti"#
            case "\n": result += " "
            // Not every device has the sign, and in the C locale man(1) would show nothing.
            case "…": result += "..."
            default:
                if scalar.isASCII {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result +=
                        #"\[u"# + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                        + "]"
                }
            }
        }
        return result
    }
}
