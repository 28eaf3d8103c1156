// SPDX-License-Identifier: Apache-2.0

/// A line of a screen: texts beside each other, each with how it is drawn.
struct TopLine {
    enum Style { case plain, faint, bold, good, warning, bad }

    private(set) var spans: [(text: String, style: Style)] = []
    /// The request that the line is about; nil: none, and it cannot be chosen.
    var request: UInt64?
    /// The handler that the line is about; "" for none.
    var identifier = ""

    init() {}

    init(_ text: String, _ style: Style = .plain) { add(text, style) }

    var width: Int { spans.reduce(0) { $0 + Shown.width($1.text) } }

    /// Whether a person can choose it.
    var isChoosable: Bool { request != nil || !identifier.isEmpty }

    mutating func add(_ text: String, _ style: Style = .plain) { spans.append((text, style)) }

    /// Adds a cell of a table, with two blanks after it.
    mutating func cell(
        _ text: String, _ columns: Int, _ style: Style = .plain, isRight: Bool = false
    ) {
        let fitted = Shown.fitted(text, columns)
        add(
            (isRight ? Shown.rightAligned(fitted, columns) : Shown.padded(fitted, columns)) + "  ",
            style)
    }

    /// Cuts it to a number of columns.
    mutating func fit(_ columns: Int) {
        var left = columns
        spans = spans.compactMap { span in
            guard left > 0 else { return nil }
            let text = Shown.fitted(span.text, left)
            left -= Shown.width(text)
            return (text, span.style)
        }
    }
}
