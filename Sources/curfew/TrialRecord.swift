// SPDX-License-Identifier: Apache-2.0

/// One thing the child of `curfew inspect --load` tells, as a line: a word, a blank, and a text in
/// which line ends are escaped.
///
/// A plugin runs in that child and may write there too: nothing of it is trusted.
struct TrialRecord {
    enum Word: String {
        /// The plugin is about to be loaded.
        case loading
        /// It is; the text is the time it took, in nanoseconds.
        case loaded
        /// It was refused: status, rule or "-", and reason.
        case refused
        case handler
        /// What was not there before.
        case thread, descriptor, signal
        /// A log line: its level and a blank before it.
        case log
        /// The plugin is about to be retired, and has been.
        case retiring, retired
    }

    let word: Word
    let text: String

    init(_ word: Word, _ text: String = "") {
        self.word = word
        self.text = text
    }

    /// Nil for a line that is none.
    init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first.flatMap({ Word(rawValue: String($0)) }) else { return nil }
        self.word = word
        var text = ""
        var isEscaped = false
        for scalar in (parts.count > 1 ? parts[1] : "").unicodeScalars {
            if isEscaped {
                text.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        self.text = text
    }

    /// With its line feed.
    var line: String {
        var line = word.rawValue + (text.isEmpty ? "" : " ")
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
