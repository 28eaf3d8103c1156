// SPDX-License-Identifier: Apache-2.0

/// Terms and what they mean, one under another, as help shows options, commands and statuses.
enum TermList {
    /// - Parameters:
    ///   - columns: how wide the lines may become.
    ///   - paint: what is done to a term once it is as wide as the others.
    static func lines(
        _ rows: [(term: String, text: String)], columns: Int,
        paint: (String) -> String = { $0 }
    ) -> [String] {
        let widest = rows.map { Shown.width($0.term) }.max() ?? 0
        // On a narrow terminal the texts stand below their terms.
        let isBelow = columns - widest - 4 < 24
        let indent = isBelow ? 6 : widest + 4
        return rows.flatMap { row -> [String] in
            let texts = Shown.wrapped(row.text, max(20, columns - indent))
            let blank = String(repeating: " ", count: indent)
            if isBelow { return ["  " + paint(row.term)] + texts.map { blank + $0 } }
            return ["  " + paint(Shown.padded(row.term, widest)) + "  " + texts[0]]
                + texts.dropFirst().map { blank + $0 }
        }
    }
}
