// SPDX-License-Identifier: Apache-2.0

/// A text with marks where faults are expected (‸) and where the first of two equals stands (†). The
/// marks are not part of the text.
struct MarkedText {
    let text: String
    /// `line:column` of each mark, counted apart from the reader.
    let places: [String]
    /// `line L, column C` of the mark for the first of two.
    let first: String?

    init(_ marked: String) {
        var text = String.UnicodeScalarView()
        var places: [String] = []
        var first: String?
        var line = 1
        var column = 1
        for scalar in marked.unicodeScalars {
            if scalar == "‸" {
                places.append("\(line):\(column)")
                continue
            }
            if scalar == "†" {
                first = "line \(line), column \(column)"
                continue
            }
            text.append(scalar)
            if scalar == "\n" {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        self.text = String(text)
        self.places = places
        self.first = first
    }

    var bytes: [UInt8] { Array(text.utf8) }
}
