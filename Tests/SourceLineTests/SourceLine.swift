// SPDX-License-Identifier: Apache-2.0

/// One line of a source document, in our words, and what is to show it.
struct SourceLine {
    enum Mark: Equatable {
        /// A test shows it.
        case tested
        /// Its test is still to come.
        case open
        /// It cannot apply: why, and what to use in its place.
        case cannotApply(String)
    }

    /// `S2.11`.
    let number: String
    let statement: String
    let mark: Mark

    var document: String { String(number.prefix { $0 != "." }) }

    /// Whether a text is the number of a line.
    static func isNumber(_ text: some StringProtocol) -> Bool {
        String(text).wholeMatch(of: #/S[0-4]\.[1-9][0-9]?/#) != nil
    }
}
