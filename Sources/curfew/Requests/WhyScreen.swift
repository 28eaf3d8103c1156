// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// The answer to "why?" as a person reads it.
struct WhyScreen {
    private let answer: WhyAnswer
    private let out: Output
    /// The indent of each line, in blanks.
    private let indent: Int

    init(_ answer: WhyAnswer, _ out: Output, indent: Int = 0) {
        self.answer = answer
        self.out = out
        self.indent = indent
    }

    /// - Parameter next: what to type next, if anything.
    func print(next: String? = nil) {
        line(headline)
        for (index, report) in answer.holding.enumerated() { reason(index + 1, report) }
        list("not waiting for", answer.others)
        list("unknown from here", answer.unknown)
        if let seen = answer.seen {
            let name = answer.hosts.count == 1 ? "its host" : answer.nearest.map(HostItem.name)
            line("as \(name ?? "its host") wrote it \(DateText.relative(seen, at: answer.now))")
        }
        otherHosts()
        if answer.ahead > 0 {
            line(
                "before it: \(answer.ahead) other\(answer.ahead == 1 ? "" : "s") of the same identifier"
            )
        }
        switch answer.request?.state {
        case nil, .pending, .parked: line("earliest possible: " + answer.earliestText)
        default: break
        }
        if !answer.journal.isEmpty { line("history: " + history) }
        if let next { out.line(String(repeating: " ", count: indent) + "next: " + next) }
    }

    private func line(_ text: String) {
        let blanks = String(repeating: " ", count: indent)
        out.line(blanks + out.wrapped(Shown.line(text), after: indent, indent: indent + 2))
    }

    private var name: String {
        let identifier = Shown.line(answer.identifier)
        return answer.request.map { "request \($0.id), \(identifier)," } ?? identifier
    }

    private var headline: String {
        if let request = answer.request {
            switch request.state {
            case .running:
                if answer.isOrphan {
                    return
                        "\(name) ran when its host ended, and no host uses this store; the next one takes it up"
                }
                let span = DateText.relative(request.changedAt, at: answer.now)
                let place = answer.runner.map { " in " + HostItem.name($0) } ?? ""
                return "\(name) is running\(place); its task was launched \(span)"
            case .pending, .parked: break
            default:
                return
                    "\(name) is over: \(RequestText.state(request)), \(DateText.both(request.changedAt, at: answer.now))"
            }
        }
        let count = answer.holding.count
        let verb = answer.request == nil ? "would be" : "is"
        guard count > 0 else {
            return answer.request == nil
                ? "\(name) would be launched at once: it would wait for nothing"
                : "\(name) can be launched: it waits for no known factor"
        }
        let waited =
            answer.request.map {
                ", submitted \(DateText.relative($0.submittedAt, at: answer.now)),"
            } ?? ""
        let head = answer.request == nil ? name : String(name.dropLast()) + waited
        return "\(head) \(verb) waiting for \(count) factor\(count == 1 ? "" : "s"):"
    }

    private func reason(_ number: Int, _ report: FactorReport) {
        let head = "  \(number). \(Shown.padded(report.factor.name, 15))  "
        let column = indent + Shown.width(head)
        var text = report.detail
        if let since = report.since, report.factor != .date {
            text += ", since \(DateText.short(since, at: answer.now))"
        }
        if let until = report.until {
            text += ", until \(DateText.both(until, at: answer.now))"
        }
        if !report.source.isEmpty, report.source != "store", report.source != "none" {
            text += " (\(report.source))"
        }
        let blanks = String(repeating: " ", count: indent)
        out.line(
            blanks + "  \(number). "
                + out.paint(Shown.padded(report.factor.name, 15), .warning) + "  "
                + out.wrapped(Shown.line(text), after: column, indent: column))
        guard report.until == nil, !report.change.isEmpty else { return }
        out.line(
            String(repeating: " ", count: column)
                + out.wrapped(
                    "help: " + Shown.line(report.change), after: column, indent: column))
    }

    /// What holds it elsewhere.
    private func otherHosts() {
        let others = answer.hosts.dropFirst()
        for other in others.prefix(Self.mostHosts) {
            guard let host = other.host else { continue }
            guard !other.holding.isEmpty else {
                line("\(HostItem.name(host)): nothing holds it")
                continue
            }
            let held = other.holding.map { "\($0.factor.name) (\($0.detail))" }
            line("\(HostItem.name(host)): waiting for \(held.joined(separator: ", "))")
        }
        if others.count > Self.mostHosts {
            line("and \(others.count - Self.mostHosts) other hosts; --json names all")
        }
    }

    private static let mostHosts = 10

    private func list(_ title: String, _ reports: [FactorReport]) {
        guard !reports.isEmpty else { return }
        line(
            title + ": "
                + reports.map { report in
                    report.state == .unknown
                        ? report.factor.name : "\(report.factor.name) (\(report.detail))"
                }.joined(separator: ", "))
    }

    private var history: String {
        answer.journal.map { entry in
            let time = DateText.short(entry.at, at: answer.now)
            return "\(time) \(entry.what.name)"
                + (entry.detail.isEmpty ? "" : " (\(Shown.fitted(Shown.line(entry.detail), 40)))")
        }.joined(separator: " · ")
    }
}
