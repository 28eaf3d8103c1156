// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Scheduling

/// A line for each case, and what to do next.
final class ConformScreen: ConformView {
    private let out: Output
    private let request: ConformRequest
    private var count = 0
    private var number = 0
    private var isDrawn = false
    /// Skipped cases in a row with the same reason, which are printed together.
    private var skipped: [CaseResult] = []

    private static var nameWidth: Int { 25 }
    private static var nameColumn: Int { 20 }
    private static var textColumn: Int { nameColumn + nameWidth + 1 }
    /// The indent of the lines below a case.
    private var indent: Int { (out.columns ?? 80) >= 60 ? Self.nameColumn + 2 : 6 }

    init(_ out: Output, _ request: ConformRequest) {
        self.out = out
        self.request = request
    }

    private static func counted(_ count: Int, _ word: String) -> String {
        "\(count) \(word)\(count == 1 ? "" : "s")"
    }

    func begin(_ report: ConformReport, _ count: Int) {
        self.count = count
        number = 0
        let manifest = report.subject.sound
        let name = Shown.line(manifest.map { "\($0.id) \($0.version)" } ?? report.path)
        var facts: [String] = []
        if let manifest {
            let handlers = manifest.handlers.count
            facts.append("ABI \(manifest.abi)")
            facts.append("\(handlers) handler\(handlers == 1 ? "" : "s")")
        }
        let cases = request.selection.cases.count
        facts.append(Self.counted(cases, "case"))
        // Some of them in a thread and in a process.
        if count != cases { facts.append(Self.counted(count, "run")) }
        facts.append("seed \(report.seed)")
        defer { adviseUntried(report.untried) }
        let text = facts.joined(separator: ", ")
        let start = Shown.width(name) + 2
        guard let columns = out.columns, start + Shown.width(text) > columns else {
            return out.line(out.paint(name, .strong) + "  " + text)
        }
        out.line(out.paint(name, .strong))
        out.line("  " + out.wrapped(text, after: 2, indent: 2))
    }

    /// Says at once of which handlers no task is run.
    private func adviseUntried(_ lacking: [String]) {
        guard let first = lacking.first, request.selection.level > 1 else { return }
        let others =
            lacking.count > 1 ? " and \(Self.counted(lacking.count - 1, "other handler"))" : ""
        let verb = lacking.count > 1 ? "have" : "has"
        out.line(
            "  "
                + out.wrapped(
                    "\(Shown.line(first))\(others) \(verb) no example in the manifest, so what it does with a payload is not tried",
                    after: 2, indent: 2))
    }

    func begins(_ tested: ConformanceCase) {
        number += 1
        guard out.isRich, let columns = out.columns else { return }
        let text = Shown.fitted("     ····  [\(number) of \(count)]  \(tested.name)", columns - 1)
        out.write("\r\u{1B}[K" + out.paint(text, .faint))
        isDrawn = true
    }

    func clear() {
        if isDrawn { out.write("\r\u{1B}[K") }
        isDrawn = false
    }

    func ends(_ result: CaseResult) {
        clear()
        if result.verdict.status == .skip {
            if let last = skipped.last,
                last.verdict.text != result.verdict.text || last.isolation != result.isolation
            {
                showSkipped()
            }
            skipped.append(result)
            return
        }
        showSkipped()
        show(result.shownName, result.verdict, result.duration)
        guard result.verdict.status.isFailure || result.verdict.status == .warn else { return }
        for note in result.verdict.notes.prefix(10) { row("= ", note) }
        row("= ", "curfew explain \(result.tested.fault.code)", .accent)
    }

    /// Prints the skipped cases; those that depend on a failed case are only counted.
    private func showSkipped() {
        guard let first = skipped.first else { return }
        let verdict = first.verdict
        if skipped.count == 1 {
            show(first.shownName, verdict, first.duration)
        } else {
            let time = skipped.reduce(0) { $0 &+ $1.duration }
            let name = "\(skipped.count) cases" + first.shownIsolation
            if let needed = first.needed {
                show(name, CaseVerdict(.skip, "need \(needed) to pass"), time)
            } else {
                show(name, verdict, time)
                row("", skipped.map(\.tested.name).joined(separator: ", "), .faint)
            }
        }
        skipped = []
    }

    /// The line of a case: with its text where that has room in one line, and else above it.
    private func show(_ name: String, _ verdict: CaseVerdict, _ duration: UInt64) {
        let (word, colour) = Self.word(verdict.status)
        let time = TimeText.seconds(duration, decimals: 3)
        let head =
            out.paint(Shown.rightAligned(word, 9), colour)
            + " [\(Shown.rightAligned(time, 7))s] "
        let text = Shown.line(verdict.text)
        let isQuiet = verdict.status == .skip
        guard !text.isEmpty else { return out.line(head + name) }
        guard let columns = out.columns, Self.textColumn + Shown.width(text) > columns else {
            let name = Shown.padded(name, Self.nameWidth) + " "
            return out.line(head + name + (isQuiet ? out.paint(text, .faint) : text))
        }
        out.line(head + name)
        row("", text, isQuiet ? .faint : nil)
    }

    private func row(_ lead: String, _ text: String, _ colour: Colour? = nil) {
        let text = Shown.line(text)
        let start = String(repeating: " ", count: indent)
        let room = out.columns.map { max(16, $0 - indent - lead.count) }
        // Commands are not wrapped, so that they can be copied.
        let lines = colour == .accent ? [text] : room.map { Shown.wrapped(text, $0) } ?? [text]
        for (index, line) in lines.enumerated() {
            let lead = index == 0 ? lead : String(repeating: " ", count: lead.count)
            out.line(start + (colour.map { out.paint(lead + line, $0) } ?? lead + line))
        }
    }

    func end(_ report: ConformReport) {
        clear()
        showSkipped()
        if report.notRun > 0 {
            let rest = Self.counted(report.notRun, "run")
            advise("ended:", "by a signal, with \(rest) still to come")
            if report.results.isEmpty { return }
        }
        let tally = report.tally
        var parts = ["\(tally[.pass]) passed"]
        for (status, text) in [
            (CaseStatus.fail, "failed"), (.crash, "crashed"), (.timeout, "timed out"),
            (.leak, "leaked"), (.warn, "with a warning"), (.skip, "skipped"),
        ] where tally[status] > 0 { parts.append("\(tally[status]) \(text)") }
        let time = TimeText.seconds(report.duration, decimals: 1)
        let isOnce = tally.all == request.selection.cases.count
        let text = Self.counted(tally.all, isOnce ? "case" : "run") + ": "
        let line =
            "  Summary [\(Shown.rightAligned(time, 7))s] "
            + out.wrapped(text + parts.joined(separator: ", "), after: 21, indent: 21)
        out.line(
            out.paint(line, tally.failures > 0 ? .alarm : tally[.pass] > 0 ? .good : .warning))
        if tally.failures == 0, tally[.pass] + tally[.warn] == 0 {
            advise("", "nothing was checked, and so nothing is proven")
        }
        if let first = report.results.first(where: \.verdict.status.isFailure) {
            let again = ConformAgain(first, report, request)
            if let words = again.inChild { advise("again:", words, .accent) }
            if let words = again.underDebugger { advise("debug:", words, .accent) }
        }
        adviseTime(report)
        adviseExamples(report)
    }

    private func adviseTime(_ report: ConformReport) {
        let cases = report.results.count(where: \.isLeftOut)
        let others = report.results.count { $0.leftOut > 0 }
        guard cases + others > 0 else { return }
        var parts: [String] = []
        if cases > 0 { parts.append(Self.counted(cases, "case")) }
        if others > 0 {
            let most = report.results.map(\.leftOut).max() ?? 0
            parts.append(
                "up to \(Self.counted(most, "example")) in \(Self.counted(others, "case"))")
        }
        advise(
            "time:",
            "it was not enough for \(parts.joined(separator: ", and for ")); a longer --time tries more"
        )
    }

    private func adviseExamples(_ report: ConformReport) {
        let lacking = Set(
            report.results.filter {
                $0.verdict.text.hasPrefix("no example in the manifest")
            }.map(\.tested.name)
        ).count
        guard lacking > 0 else { return }
        advise(
            "hint:",
            "\(lacking) case\(lacking == 1 ? " lacks" : "s lack") an example in the manifest; "
                + "how to write one:")
        advise("", "curfew explain one-task-done", .accent)
    }

    private func advise(_ word: String, _ text: String, _ colour: Colour? = nil) {
        let text = colour == nil ? out.wrapped(text, after: 10, indent: 10) : text
        out.line("  " + Shown.padded(word, 8) + (colour.map { out.paint(text, $0) } ?? text))
    }

    static func word(_ status: CaseStatus) -> (String, Colour) {
        switch status {
        case .pass: ("PASS", .good)
        case .fail: ("FAIL", .alarm)
        case .crash: ("CRASH", .alarm)
        case .timeout: ("TIMEOUT", .alarm)
        case .leak: ("LEAK", .alarm)
        case .skip: ("SKIP", .faint)
        case .warn: ("WARN", .warning)
        }
    }
}

/// Observes the work of the kit.
protocol ConformView {
    func begin(_ report: ConformReport, _ count: Int)
    func begins(_ tested: ConformanceCase)
    func ends(_ result: CaseResult)
    func end(_ report: ConformReport)
    /// Takes away what is only drawn over.
    func clear()
}

/// Nothing is shown until all is known.
struct ConformSilence: ConformView {
    func begin(_ report: ConformReport, _ count: Int) {}
    func begins(_ tested: ConformanceCase) {}
    func ends(_ result: CaseResult) {}
    func end(_ report: ConformReport) {}
    func clear() {}
}

/// The command that repeats a failure.
struct ConformAgain {
    /// The command that repeats it in a child; nil if this was such a command.
    let inChild: String?
    /// The command that repeats it under a debugger; nil if no code of the plugin runs.
    let underDebugger: String?

    init(_ result: CaseResult, _ report: ConformReport, _ request: ConformRequest) {
        var words = "conform \(ShellWord.path(Shown.line(report.path)))"
        words += " --only \(result.tested.name)"
        if let seed = result.seed {
            words += " --reproduce \(seed)"
        } else if result.tested.isSeeded {
            words += (request.isReproducing ? " --reproduce" : " --seed") + " \(report.seed)"
        }
        let place = " --isolation \(result.isolation.name)"
        let isSame =
            report.results.count == 1 && (!result.tested.isSeeded || request.isReproducing)
        inChild =
            request.isInProcess || isSame
            ? nil : "curfew \(words)\(result.tested.runsCode ? place : "")"
        // In the kit's own process a thread is what runs the code, if nothing else is said.
        underDebugger =
            result.tested.runsCode
            ? "gdb --args curfew \(words)\(result.isolation == .thread ? "" : place) --in-process"
            : nil
    }
}

extension CaseResult {
    /// The mode, where it is not a thread; after a name.
    var shownIsolation: String { isolation == .thread ? "" : " (\(isolation.name))" }

    /// The name of the case, with the mode where it is not a thread.
    var shownName: String { tested.name + shownIsolation }
}
