// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge

/// A line for each case, and what to do next.
final class ConformScreen: ConformView {
    private let out: Output
    private let request: ConformRequest
    private var count = 0
    private var number = 0
    private var isDrawn = false

    private static var nameWidth: Int { 25 }
    private static var textColumn: Int { 46 }

    init(_ out: Output, _ request: ConformRequest) {
        self.out = out
        self.request = request
    }

    func begin(_ report: ConformReport, _ count: Int) {
        self.count = count
        number = 0
        let manifest = report.subject.sound
        let name = manifest.map { "\($0.id) \($0.version)" } ?? Shown.line(report.path)
        var facts: [String] = []
        if let manifest {
            let handlers = manifest.handlers.count
            facts.append("ABI \(manifest.abi)")
            facts.append("\(handlers) handler\(handlers == 1 ? "" : "s")")
        }
        facts += ["\(count) case\(count == 1 ? "" : "s")", "seed \(report.seed)"]
        out.line(out.paint(Shown.line(name), .strong) + "  " + facts.joined(separator: ", "))
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
        let (word, colour) = Self.word(result.verdict.status)
        let time = TimeText.seconds(result.duration, decimals: 3)
        let head =
            out.paint(Shown.rightAligned(word, 9), colour)
            + " [\(Shown.rightAligned(time, 7))s] "
        let text = Shown.line(result.verdict.text)
        guard !text.isEmpty else { return out.line(head + result.tested.name) }
        let indent = Self.textColumn
        let name = Shown.padded(result.tested.name, Self.nameWidth)
        let wrapped = out.columns.map { Shown.wrapped(text, max(30, $0 - indent)) } ?? [text]
        let isLoud = result.verdict.status != .skip
        for (index, line) in wrapped.enumerated() {
            let lead = index == 0 ? head + name : String(repeating: " ", count: indent)
            let space = index == 0 ? " " : ""
            out.line(lead + space + (isLoud ? line : out.paint(line, .faint)))
        }
        guard result.verdict.status.isFailure || result.verdict.status == .warn else { return }
        for note in result.verdict.notes.prefix(10) { row("= " + note) }
        row("= curfew explain \(result.tested.fault.code)", .accent)
    }

    private func row(_ text: String, _ colour: Colour? = nil) {
        let text = Shown.line(text)
        for line in out.columns.map({ Shown.wrapped(text, max(30, $0 - 22)) }) ?? [text] {
            out.line(
                String(repeating: " ", count: 22) + (colour.map { out.paint(line, $0) } ?? line))
        }
    }

    func end(_ report: ConformReport) {
        let tally = report.tally
        var parts = ["\(tally[.pass]) passed"]
        for (status, text) in [
            (CaseStatus.fail, "failed"), (.crash, "crashed"), (.timeout, "timed out"),
            (.leak, "leaked"), (.warn, "with a warning"), (.skip, "skipped"),
        ] where tally[status] > 0 { parts.append("\(tally[status]) \(text)") }
        let time = TimeText.seconds(report.duration, decimals: 1)
        let line =
            "Summary [\(Shown.rightAligned(time, 7))s] \(tally.all) case\(tally.all == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
        out.line(
            "  "
                + out.paint(line, tally.failures > 0 ? .alarm : tally[.pass] > 0 ? .good : .warning)
        )
        if tally.failures == 0, tally[.pass] + tally[.warn] == 0 {
            out.line("  nothing was looked at, and so nothing is proven")
        }
        if let first = report.results.first(where: \.verdict.status.isFailure) {
            out.line("  again:  " + out.paint(again(first, report), .accent))
        }
        if report.results.contains(where: {
            $0.verdict.text.hasPrefix("no example in the manifest")
        }) {
            out.line(
                "  hint:   examples in the manifest let more cases be run: \(out.paint("curfew explain CF0830", .accent))"
            )
        }
    }

    private func again(_ result: CaseResult, _ report: ConformReport) -> String {
        let start = "curfew conform \(ShellWord.path(report.path)) --only \(result.tested.name)"
        if let seed = result.seed { return start + " --reproduce \(seed)" }
        return start + " --in-process"
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
