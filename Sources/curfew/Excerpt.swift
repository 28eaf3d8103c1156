// SPDX-License-Identifier: Apache-2.0

/// A quoted line with marks under a part of it, cut so that it does not wrap.
struct Excerpt {
    /// The two lines, as they are shown.
    let source: String
    let marks: String

    /// Recognises the two lines `12 | text` and `   |   ^^^` as `Diagnostic` lays them out; nil
    /// where they are something else.
    ///
    /// - Parameter columns: how wide they may become.
    init?(source: Substring, marks: Substring, columns: Int) {
        let gutter = marks.unicodeScalars.prefix { $0 == " " }.count + 2
        let under = marks.unicodeScalars.dropFirst(gutter)
        let text = Array(source.unicodeScalars.dropFirst(gutter))
        guard Excerpt.isMarks(marks), source.unicodeScalars.dropFirst(gutter - 2).first == "|"
        else { return nil }
        let first = under.prefix { $0 == " " }.count
        let marked = under.count - first
        guard first <= text.count else { return nil }

        let room = max(columns - gutter, 20)
        let shown = Excerpt.window(in: text, around: first..<min(first + marked, text.count), room)
        let isWhole = shown == 0..<text.count
        let lead = shown.lowerBound > 0 ? "…" : ""
        let tail = shown.upperBound < text.count ? "…" : ""
        let before = isWhole ? first : lead.count + Excerpt.width(text[shown.lowerBound..<first])
        let end = min(first + marked, shown.upperBound)
        let width = isWhole ? marked : max(Excerpt.width(text[first..<max(end, first)]), 1)
        self.source =
            String(source.unicodeScalars.prefix(gutter)) + lead + Excerpt.string(text[shown]) + tail
        self.marks =
            String(marks.unicodeScalars.prefix(gutter)) + String(repeating: " ", count: before)
            + String(repeating: "^", count: width)
    }

    /// Blanks, a bar, blanks and marks.
    static func isMarks(_ line: Substring) -> Bool {
        let place = line.drop { $0 == " " }
        return place.hasPrefix("| ") && place.hasSuffix("^")
            && place.dropFirst(2).allSatisfy { $0 == " " || $0 == "^" }
    }

    /// Returns the part of the text that fits into the columns; each cut takes one column.
    private static func window(
        in text: [Unicode.Scalar], around fault: Range<Int>, _ room: Int
    ) -> Range<Int> {
        guard width(text[...]) > room else { return 0..<text.count }
        var start = 0
        if width(text[..<fault.upperBound]) > room - 1 {
            // A third of the room before the fault, or more where nothing else needs it.
            let after = width(text[fault.lowerBound...])
            let lead = max((room - 2) / 3, room - 1 - after)
            start = fault.lowerBound
            var used = 0
            while start > 0 {
                used += width(text[(start - 1)...(start - 1)])
                guard used <= lead else { break }
                start -= 1
            }
        }
        let isLast = width(text[start...]) + (start > 0 ? 1 : 0) <= room
        guard !isLast else { return start..<text.count }
        var end = start
        var used = start > 0 ? 2 : 1
        while end < text.count {
            used += width(text[end...end])
            guard used <= room else { break }
            end += 1
        }
        return start..<end
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func width(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
        Shown.width(string(scalars))
    }
}
