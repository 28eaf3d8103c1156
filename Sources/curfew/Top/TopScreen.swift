// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The lines of a screen about a host. A value: it knows no terminal.
struct TopScreen {
    let snapshot: TopSnapshot
    private let columns: Int
    /// Characters of a bar.
    private static let bar = 10
    private static let leastRows = 2

    /// - Parameter columns: of the screen.
    init(_ snapshot: TopSnapshot, columns: Int) {
        (self.snapshot, self.columns) = (snapshot, max(40, columns))
    }

    /// - Parameter rows: the most lines; nil: as many as there are.
    func lines(rows: Int?) -> [TopLine] {
        var head = [title]
        head += snapshot.alerts.prefix(2).map { TopLine("  " + Shown.line($0), .bad) }
        let sections = self.sections.filter { !$0.lines.isEmpty }
        var room = rows.map { max(0, $0 - head.count) } ?? .max
        // Each gets a few lines first; what is left goes to the first ones.
        var given = sections.map { section -> Int in
            let wanted = min(section.lines.count, Self.leastRows)
            guard room >= wanted + 2 else { return 0 }
            room -= wanted + 2
            return wanted
        }
        for index in sections.indices where given[index] > 0 {
            let more = min(room, sections[index].lines.count - given[index])
            given[index] += more
            room -= more
        }
        var lines = head
        for (section, count) in zip(sections, given) where count > 0 {
            lines.append(TopLine())
            var heading = section.head
            let left = section.lines.count - count
            if left > 0 { heading.add("(\(left) more)", .faint) }
            lines.append(heading)
            lines += section.lines.prefix(count)
        }
        if sections.isEmpty {
            lines += [
                TopLine(),
                TopLine("nothing was submitted yet: curfew submit -- /bin/date", .faint),
            ]
        }
        return lines.map { line in
            var line = line
            line.fit(columns)
            return line
        }
    }

    private typealias Section = (head: TopLine, lines: [TopLine])

    private var sections: [Section] { [running, waiting, next, tasks, ends] }

    private static func span(_ seconds: Double) -> String {
        SpanText(nanoseconds: UInt64(max(0, seconds) * 1e9)).description
    }

    // MARK: Sections

    private var title: TopLine {
        var line = TopLine("curfew \(Shown.line(snapshot.version))", .bold)
        if let since = snapshot.since {
            line.add("  up \(Self.span(Double(snapshot.now - since) / 1e9))")
        }
        let busy = snapshot.workers["busy"] ?? 0
        let stuck = snapshot.workers["stuck"] ?? 0
        line.add("  workers \(busy) busy")
        line.add(", \(stuck) stuck", stuck > 0 ? .bad : .plain)
        if let commit = snapshot.commit {
            line.add("  commits under \(Self.span(commit))", commit > 0.5 ? .warning : .plain)
        }
        let clock = "  " + DateText.short(snapshot.now, at: snapshot.now)
        let left = columns - line.width - Shown.width(clock)
        if left > 12 {
            line.add("  " + Shown.fittedEnd(Shown.line(snapshot.store), left - 2), .faint)
        }
        let gap = columns - line.width - Shown.width(clock)
        if gap >= 0 { line.add(String(repeating: " ", count: gap) + clock, .faint) }
        return line
    }

    /// Columns of a title in a line where others take so many.
    private func rest(_ others: Int) -> Int { max(12, min(60, columns - others)) }

    private static func heading(_ cells: [(text: String, columns: Int, isRight: Bool)]) -> TopLine {
        var line = TopLine()
        for cell in cells { line.cell(cell.text, cell.columns, .bold, isRight: cell.isRight) }
        return line
    }

    private static func number(_ id: UInt64) -> String { "\(id)" }

    private var running: Section {
        let width = rest(62)
        let head = Self.heading([
            ("RUNNING", 8, false), ("WHAT", width, false), ("FOR", 8, true),
            ("BUDGET", Self.bar + 16, false), ("DONE", 5, true),
        ])
        let lines = snapshot.running.map { task in
            var line = TopLine()
            (line.request, line.identifier) = (task.request, task.identifier)
            line.cell(Self.number(task.request), 8)
            line.cell(Shown.line(task.title), width)
            line.cell(Self.span(task.elapsed), 8, isRight: true)
            let part = task.budget > 0 ? task.elapsed / task.budget : 0
            let style: TopLine.Style =
                task.stopping != nil || part >= 1 ? .bad : part >= 0.9 ? .warning : .good
            let full = min(Self.bar, Int(part * Double(Self.bar)))
            line.add(String(repeating: "█", count: full), style)
            line.add(String(repeating: "░", count: Self.bar - full), .faint)
            line.cell(
                " \(Int(min(part, 9.99) * 100)) % of \(Self.span(task.budget))", 16,
                part >= 0.9 ? style : .plain)
            line.cell(task.share.map { "\(Int($0 * 100)) %" } ?? "-", 5, isRight: true)
            if let reason = task.stopping { line.add("stops: \(Shown.line(reason))", .bad) }
            return line
        }
        return (head, lines)
    }

    private var waiting: Section {
        let width = rest(46)
        let head = Self.heading([
            ("WAITING", 8, false), ("WHAT", width, false), ("SINCE", 8, true), ("FOR", 20, false),
        ])
        let lines = snapshot.waiting.sorted {
            ($1.isParked ? 1 : 0, $0.due) < ($0.isParked ? 1 : 0, $1.due)
        }
        .map { request in
            var line = TopLine()
            (line.request, line.identifier) = (request.request, request.identifier)
            line.cell(Self.number(request.request), 8)
            line.cell(Shown.line(request.title), width)
            line.cell(Self.span(Double(snapshot.now - request.due) / 1e9), 8, isRight: true)
            line.add(
                request.isParked
                    ? "parked: curfew release \(request.request)"
                    : request.reasons.isEmpty ? "-" : request.reasons.joined(separator: ", "),
                request.isParked ? .bad : .warning)
            return line
        }
        return (head, lines)
    }

    private var next: Section {
        let width = rest(40)
        let head = Self.heading([
            ("NEXT", 8, false), ("WHAT", width, false), ("DUE", 24, false),
        ])
        let lines = snapshot.next.map { request in
            var line = TopLine()
            (line.request, line.identifier) = (request.request, request.identifier)
            line.cell(Self.number(request.request), 8)
            line.cell(Shown.line(request.title), width)
            line.add("in \(Self.span(Double(request.due - snapshot.now) / 1e9))")
            line.add("  " + DateText.short(request.due, at: snapshot.now), .faint)
            return line
        }
        return (head, lines)
    }

    private var tasks: Section {
        let width = rest(58)
        let head = Self.heading([
            ("TASK", width, false), ("PEND", 6, true), ("RUN", 4, true), ("HOUR", 7, true),
            ("DELAY", 8, true), ("BUDGET", 7, true), ("24 H", 8, false),
        ])
        let lines = snapshot.tasks.map { task in
            var line = TopLine()
            line.identifier = task.identifier
            line.cell(task.identifier.isEmpty ? "other" : Shown.line(task.identifier), width)
            line.cell("\(task.pending)", 6, isRight: true)
            line.cell("\(task.running)", 4, isRight: true)
            line.cell(
                "\(task.launched)/\(task.promised)", 7, task.missed > 0 ? .bad : .plain,
                isRight: true)
            line.cell(task.delay.map(Self.span) ?? "-", 8, isRight: true)
            line.cell(
                task.budget.map { $0 >= 1 ? "over" : "\(Int($0 * 100)) %" } ?? "-", 7,
                task.budget ?? 0 >= 0.9 ? .warning : .plain, isRight: true)
            let good = task.ends[Outcome.succeeded.name] ?? 0
            let bad = task.ends.values.reduce(0, +) - good
            line.add("\(good) ok", .good)
            if bad > 0 { line.add(", \(bad) not", .bad) }
            return line
        }
        return (head, lines)
    }

    private var ends: Section {
        let width = rest(50)
        let head = Self.heading([
            ("ENDED", 8, false), ("WHAT", width, false), ("OUTCOME", 11, false), ("TOOK", 10, true),
        ])
        let lines = snapshot.ends.map { end in
            var line = TopLine()
            (line.request, line.identifier) = (end.request, end.identifier)
            line.cell(Self.number(end.request), 8)
            line.cell(Shown.line(end.title), width)
            line.cell(
                end.outcome, 11, end.outcome == Outcome.succeeded.name ? .good : .bad)
            line.cell(end.duration.map(Self.span) ?? "-", 10, isRight: true)
            line.add("\(Self.span(Double(snapshot.now - end.at) / 1e9)) ago", .faint)
            return line
        }
        return (head, lines)
    }
}
