// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// Prints one request for a person.
struct RequestScreen {
    private let record: RequestRecord
    private let place: StorePlace
    private let out: Output
    private let isAlone: Bool
    private let now = csys_realtime_ns()

    /// - Parameter isAlone: no host uses the store.
    init(_ record: RequestRecord, _ place: StorePlace, isAlone: Bool, _ out: Output) {
        self.isAlone = isAlone
        self.record = record
        self.place = place
        self.out = out
    }

    private var request: Request { record.request }

    func print() {
        let state = RequestText.state(request, isAlone: isAlone)
        out.line(
            "request \(request.id)  "
                + out.paint(Shown.line(request.description.identifier), .strong) + "  "
                + (RequestText.colour(request).map { out.paint(state, $0) } ?? state))
        for (term, text) in rows {
            let head = "  " + Shown.padded(term, 10) + "  "
            out.line(
                out.paint(head, .faint) + out.wrapped(Shown.line(text), after: 14, indent: 14))
        }
        printAttempts()
        printJournal()
        out.line()
        out.line("next: " + next)
    }

    private var rows: [(String, String)] {
        let description = request.description
        var rows = state
        rows.append(("kind", description.kind.name))
        if !description.needs.isEmpty {
            rows.append(("needs", RequestText.needs(description.needs)))
        }
        if let wish = RequestText.wish(description) { rows.append(("waits", "until " + wish)) }
        if let repetition = description.repetition {
            rows.append(("repeated", RequestText.repetition(repetition)))
        }
        rows.append(("retry", retry))
        if description.priority != .normal { rows.append(("priority", description.priority.name)) }
        if let latest = description.latest {
            rows.append(("latest", DateText.both(latest, at: now)))
        }
        if let key = description.key { rows.append(("key", key)) }
        if description.onPending != .add {
            rows.append(("on pending", description.onPending.name))
        }
        if let program = record.program {
            rows.append(("runs", ShellWord.line(program)))
            rows.append(("in", program.directory))
            if program.output != .log { rows.append(("output", program.output.text)) }
            let budget = program.budget ?? description.kind.defaultBudget
            rows.append(("budget", TimeText.limit(budget)))
            if let grace = program.grace { rows.append(("grace", TimeText.limit(grace))) }
        } else {
            rows.append(("payload", payload))
        }
        if let owner = request.owner { rows.append(("owner", "user \(owner)")) }
        if let trace = request.description.trace { rows.append(("trace", trace.traceText)) }
        rows.append(("submitted", DateText.both(request.submittedAt, at: now)))
        return rows
    }

    private var state: [(String, String)] {
        switch request.state {
        case .pending:
            let reason = RequestText.reason(request)
            let due =
                request.notBefore <= now
                ? "now, since \(DateText.full(request.notBefore))"
                : DateText.both(request.notBefore, at: now)
            return [("due", due)] + (reason.isEmpty ? [] : [("because", reason)])
        case .running:
            let marks =
                request.marks.contains(.cancelled) ? [("cancelled", "it ends with its task")] : []
            let note =
                isAlone ? [("but", "its host has ended; the next one takes it up")] : []
            return [
                (
                    isAlone ? "launched" : "running",
                    (isAlone ? "" : "since ") + DateText.both(request.changedAt, at: now)
                )
            ] + note + marks
        case .parked:
            return [
                ("parked", DateText.both(request.changedAt, at: now)),
                (
                    "because",
                    "the host's process ended \(request.crashes) times in a row while its task ran"
                ),
            ]
        default: return [(request.state.name, DateText.both(request.changedAt, at: now))]
        }
    }

    private var retry: String {
        let used =
            request.state.isLive && request.attempts > 0 ? ", \(request.attempts) of them used" : ""
        let launches =
            request.launches == 1 ? "launched once" : "launched \(request.launches) times"
        return RequestText.retry(request.description.retry) + used
            + (request.launches == 0 ? "" : "; \(launches)")
    }

    private var payload: String {
        switch request.payloadBytes {
        case 0: "none"
        case 1: "1 byte"
        default: "\(Shown.number(UInt64(request.payloadBytes))) bytes"
        }
    }

    private func printAttempts() {
        guard !record.attempts.isEmpty else { return }
        out.line()
        out.line(out.paint("attempts:", .strong))
        for attempt in record.attempts {
            let head =
                "  \(Shown.rightAligned(String(attempt.number), 3))  "
                + DateText.full(attempt.startedAt) + "  "
            out.line(
                head
                    + out.wrapped(
                        Shown.line(text(attempt)), after: Shown.width(head), indent: 7))
            if detailed.contains(attempt.launch) { print(attempt.record) }
        }
    }

    /// The launches whose records are printed: the last one, and the last that did not succeed.
    private var detailed: [UInt64] {
        let failed = record.attempts.last { $0.outcome != nil && $0.outcome != .succeeded }
        return [record.attempts.last, failed].compactMap { $0?.launch }
    }

    private func print(_ record: AttemptRecord) {
        func line(_ term: String, _ text: String) {
            let head = "       " + (text.isEmpty ? term : Shown.padded(term, 8) + "  ")
            out.line(
                out.paint(head, .faint) + out.wrapped(Shown.line(text), after: 17, indent: 17))
        }
        if let usage = record.usage {
            line("used", usage.text)
        } else if record.processorTime > 0 {
            line("used", "\(TimeText.spent(record.processorTime)) of processor time")
        }
        if let progress = record.progress {
            let text = record.progressText
            line("progress", "\(Int(progress * 100)) %" + (text.isEmpty ? "" : ", " + text))
        }
        if record.resultBytes > 0 {
            let size = "\(Shown.number(record.resultBytes)) bytes"
            let isCut = UInt64(record.result.utf8.count) < record.resultBytes
            line(
                "result",
                record.result.isEmpty
                    ? "\(size), which are no text"
                    : isCut ? "the beginning of \(size):" : "")
            printLines(record.result.parts(at: "\n").map(String.init))
        }
        let log = record.log
        guard !log.lines.isEmpty else { return }
        let count = log.dropped
        line(
            "log",
            count == 0
                ? ""
                : "its last lines; \(Shown.number(count)) before them \(count == 1 ? "is" : "are") not kept"
        )
        printLines(log.lines)
    }

    /// Prints text that a task wrote, fit to be shown.
    private func printLines(_ lines: [String]) {
        for line in lines { out.line("         " + Shown.line(line)) }
    }

    private func text(_ attempt: Attempt) -> String {
        guard let outcome = attempt.outcome else {
            return isAlone
                ? "ran in process \(attempt.host.process), which has ended"
                : "runs in "
                    + (record.runner.map(HostItem.name) ?? "process \(attempt.host.process)")
        }
        var text = outcome.name
        if let duration = attempt.duration { text += " in \(TimeText.spent(duration))" }
        if let reason = attempt.reason { text += ", told to stop: \(reason.name)" }
        if !attempt.error.isEmpty, attempt.error != outcome.doneText {
            text += ": \(attempt.error)"
        }
        return text
    }

    private func printJournal() {
        guard !record.journal.isEmpty else { return }
        out.line()
        out.line(out.paint("what happened:", .strong))
        if record.isCut { out.line("  … earlier entries: curfew log \(request.id)\(place.option)") }
        let widest = record.journal.map { $0.what.name.count }.max() ?? 0
        for entry in record.journal {
            let head = "  \(DateText.full(entry.at))  "
            let word = Shown.padded(entry.what.name, entry.detail.isEmpty ? 0 : widest)
            let after = Shown.width(head) + widest + 2
            out.line(
                out.paint(head, .faint) + word
                    + (entry.detail.isEmpty
                        ? ""
                        : "  " + out.wrapped(Shown.line(entry.detail), after: after, indent: 6)))
        }
    }

    private var next: String {
        switch request.state {
        case .pending: "curfew why \(request.id)\(place.option)"
        case .running: "curfew log \(request.id) --follow\(place.option)"
        case .parked: "curfew release \(request.id)\(place.option)"
        case .finished where request.outcome == .succeeded:
            "curfew ps --history --identifier \(ShellWord.quoted(request.description.identifier))\(place.option)"
        default: "curfew retry \(request.id)\(place.option)"
        }
    }
}
