// SPDX-License-Identifier: Apache-2.0

/// Rows under heads, of which the last column has what is left of the line.
struct TextTable {
    private let heads: [String]
    private let rows: [[String]]
    private static let leastRest = 12

    /// - Parameter rows: as many cells as there are heads in each, none of them empty.
    init(_ heads: [String], _ rows: [[String]]) {
        (self.heads, self.rows) = (heads, rows)
    }

    /// - Parameter wraps: what of the last column does not fit is on further lines, in place of cut.
    func print(_ out: Output, wraps: Bool = false) {
        let widths = heads.indices.map { column in
            max(heads[column].count, rows.map { Shown.width($0[column]) }.max() ?? 0)
        }
        let start = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        for (index, row) in ([heads] + rows).enumerated() {
            let lead = zip(row, widths).dropLast().map { Shown.padded($0, $1) }
                .joined(separator: "  ")
            let last = row[row.count - 1]
            let rest =
                wraps
                ? out.wrapped(last, after: start, indent: start)
                : out.columns.map { Shown.fitted(last, max(Self.leastRest, $0 - start)) } ?? last
            let line = lead + "  " + rest
            out.line(index == 0 ? out.paint(line, .faint) : line)
        }
    }
}
