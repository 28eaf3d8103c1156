// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Scheduling

/// The results of the kit as the lines of the Test Anything Protocol, version 14.
enum TAPReport {
    static func text(of reports: [ConformReport]) -> String {
        let count = reports.reduce(0) { $0 + $1.results.count + $1.notRun }
        var lines = ["TAP version 14", "1..\(count)"]
        var number = 0
        for report in reports {
            let name = report.subject.sound?.id ?? report.path
            lines.append("# \(plain(name)), seed \(report.seed)")
            for result in report.results {
                number += 1
                let status = result.verdict.status
                let word = status.isFailure ? "not ok" : "ok"
                // A name ends where a directive begins.
                let skip = status == .skip ? " # SKIP \(plain(result.verdict.text))" : ""
                lines.append("\(word) \(number) - \(plain(name)): \(result.shownName)\(skip)")
                guard status.isFailure || status == .warn else { continue }
                lines.append("  ---")
                lines.append("  severity: \(status.rawValue)")
                lines.append("  message: \(quoted(result.verdict.text))")
                if !result.verdict.notes.isEmpty {
                    lines.append("  notes:")
                    lines += result.verdict.notes.map { "    - \(quoted($0))" }
                }
                lines.append("  explain: curfew explain \(result.tested.fault.code)")
                lines.append("  ...")
            }
        }
        if reports.contains(where: { $0.notRun > 0 }) {
            lines.append("Bail out! A signal ended the kit.")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// A text in a line: `#` begins a directive, and `\` is before one that does not.
    private static func plain(_ text: String) -> String {
        var plain = ""
        for character in Shown.line(text) {
            if character == "#" || character == "\\" { plain.append("\\") }
            plain.append(character)
        }
        return plain
    }

    /// A scalar of YAML in double quotes, which are those of JSON.
    private static func quoted(_ text: String) -> String { JSONItem.text(text).written }
}
