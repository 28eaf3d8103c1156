// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Requests one under another.
///
/// On a terminal the lines fit it; in a pipe no cell has a blank in it, and none is left out, so that
/// other programs can take the lines apart.
struct RequestTable {
    private struct Row {
        let cells: [String]
        let request: Request
        /// Its name is a command line, of which the beginning says most. The end of a long
        /// identifier distinguishes it better.
        let isProgram: Bool

        func name(_ columns: Int) -> String {
            isProgram ? Shown.fitted(cells[1], columns) : Shown.fittedEnd(cells[1], columns)
        }

        func fitted(_ columns: Int) -> [String] {
            var cells = cells
            cells[1] = name(columns)
            return cells
        }
    }

    private let rows: [Row]
    /// The last column says what a request waits for, and not what it needs.
    private let hasHolders: Bool
    private let out: Output
    private var isPlain: Bool { out.columns == nil }

    /// - Parameters:
    ///   - programs: the command lines of requests that run programs, for a terminal.
    ///   - shares: how far running tasks are, from 0 to 1, for a terminal.
    ///   - holders: the factors that hold those that are due, for a terminal.
    ///   - isAlone: no host uses the store.
    init(
        _ requests: [Request], _ programs: [RequestID: String], _ shares: [RequestID: Double],
        _ holders: [RequestID: [String]], isAlone: Bool, at now: Int64, _ out: Output
    ) {
        self.out = out
        let isPlain = out.columns == nil
        let hasHolders = !isPlain && !holders.isEmpty
        self.hasHolders = hasHolders
        rows = requests.map { request in
            let program = isPlain ? nil : programs[request.id]
            var cells =
                isPlain
                ? Self.plain(request, isAlone: isAlone, at: now)
                : Self.cells(request, isAlone: isAlone, at: now)
            if let program { cells[1] = Shown.line(program) }
            if !isPlain, let share = shares[request.id] { cells[2] += " \(Int(share * 100)) %" }
            if hasHolders {
                let held = holders[request.id]?.joined(separator: ", ")
                cells[6] = held.map(Shown.line) ?? (request.state == .pending ? cells[6] : "")
            }
            return Row(cells: cells, request: request, isProgram: program != nil)
        }
    }

    func print() {
        let heads = [
            "ID", "IDENTIFIER", "STATE", "DUE", "AT", "TRIES", hasHolders ? "WAITS FOR" : "NEEDS",
        ]
        // Columns without any value are omitted for people.
        let kept = heads.indices.filter { column in
            isPlain || column < 6 || rows.contains { !$0.cells[column].isEmpty }
        }
        var widths = heads.indices.map { column in
            max(
                heads[column].count, rows.map { Shown.width($0.cells[column]) }.max() ?? 0)
        }
        if let columns = out.columns {
            let others = kept.filter { $0 != 1 }.reduce(0) { $0 + widths[$1] + 2 }
            widths[1] = min(widths[1], max(16, columns - others))
        }
        if let columns = out.columns,
            kept.reduce(-2, { $0 + widths[$1] + 2 }) > columns
        {
            list(columns)
            return
        }
        let head = line(heads, kept, widths) { text, _ in text }
        out.line(out.paint(head, .faint))
        for row in rows {
            out.line(
                line(isPlain ? row.cells : row.fitted(widths[1]), kept, widths) { text, column in
                    guard column == 2, let colour = RequestText.colour(row.request) else {
                        return text
                    }
                    return out.paint(text, colour)
                })
        }
    }

    private func line(
        _ cells: [String], _ kept: [Int], _ widths: [Int], _ paint: (String, Int) -> String
    ) -> String {
        // No blanks at the end of a line.
        let last = kept.last { !cells[$0].isEmpty }
        return kept.prefix { $0 <= last ?? 0 }.map { column in
            let text = cells[column]
            if column == 0 { return Shown.rightAligned(text, widths[0]) }
            if column == last { return paint(text, column) }
            let blanks = String(repeating: " ", count: max(0, widths[column] - Shown.width(text)))
            return paint(text, column) + blanks
        }.joined(separator: "  ")
    }

    /// Prints the requests as blocks of lines if a table would be too wide.
    private func list(_ columns: Int) {
        for row in rows {
            let cells = row.cells
            let head = "\(cells[0])  "
            out.line(
                head
                    + out.paint(row.name(max(8, columns - head.count)), .strong))
            var text = cells[2]
            if !cells[3].isEmpty { text += ", \(cells[3])" }
            if !cells[4].isEmpty { text += ", \(cells[4])" }
            text += ", tries \(cells[5])"
            if !cells[6].isEmpty {
                text += ", \(hasHolders ? "waits for" : "needs") \(cells[6])"
            }
            for line in Shown.wrapped(text, columns - 2) { out.line("  " + line) }
        }
    }

    private static func cells(
        _ request: Request, isAlone: Bool, at now: Int64
    ) -> [String] {
        let (distance, date) = due(request, at: now)
        let span = short(distance.magnitude)
        let due: String
        switch request.state {
        case .pending: due = distance > 0 ? "in \(span)" : "now"
        case .running where !isAlone: due = "for \(span)"
        default: due = "\(span) ago"
        }
        return [
            String(request.id.rawValue), Shown.line(request.description.identifier),
            RequestText.state(request, isAlone: isAlone), due, DateText.short(date, at: now),
            RequestText.attempts(request),
            RequestText.needs(request.description.needs, separator: ","),
        ]
    }

    private static func plain(
        _ request: Request, isAlone: Bool, at now: Int64
    ) -> [String] {
        let (distance, date) = due(request, at: now)
        let span = SpanText(nanoseconds: distance.magnitude).description.filter { $0 != " " }
        let due = request.state.isLive ? (distance > 0 ? "+" : "-") + span : "-"
        let needs = RequestText.needs(request.description.needs, separator: ",")
        return [
            String(request.id.rawValue), Shown.line(request.description.identifier),
            RequestText.state(request, isAlone: isAlone), due,
            DateText.word(date), RequestText.attempts(request), needs.isEmpty ? "-" : needs,
        ]
    }

    /// When a pending one may begin, and how far that is; since when another is what it is.
    private static func due(_ request: Request, at now: Int64) -> (distance: Int64, date: Int64) {
        let date = request.state == .pending ? request.notBefore : request.changedAt
        return (date.subtractingReportingOverflow(now).partialValue, date)
    }

    /// Hours without minutes, days without hours: the date stands beside it.
    private static func short(_ nanoseconds: UInt64) -> String {
        let hour: UInt64 = 3_600_000_000_000
        let (unit, from) = nanoseconds < 48 * hour ? (hour, 2 * hour) : (24 * hour, 0)
        let rounded =
            nanoseconds >= from && nanoseconds >= unit
            ? nanoseconds / unit * unit : nanoseconds
        return SpanText(nanoseconds: rounded).description
    }
}
