// SPDX-License-Identifier: Apache-2.0

/// One message of a contained child: a word, and a text that may have line ends.
package struct ChildLine: Sendable {
    package let word: String
    package let text: String

    /// Whether the line reports a phase, which lasts until the next one.
    var isPassing: Bool { word == "at" }
    /// Whether the line tells of something that went wrong by chance.
    var isChance: Bool { word == "chaos" }
    /// Whether the child has done everything, and exits.
    var isLast: Bool { word == "leaving" }

    /// Nil for a line that does not bear the mark.
    init?(_ line: some StringProtocol, mark: String) {
        // Split scalars, since a blank and an accent after it are one character.
        let parts = String(line).unicodeScalars.split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, String(parts[0]) == mark else { return nil }
        word = String(parts[1])
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in parts.dropFirst(2).joined() {
            if isEscaped {
                text.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        self.text = String(text)
    }

    /// Returns the line as it is sent, with the line end.
    static func written(_ word: String, _ text: String, mark: String) -> String {
        var line = "\(mark) \(word)" + (text.isEmpty ? "" : " ")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\\": line += "\\\\"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line + "\n"
    }
}
