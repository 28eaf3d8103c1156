// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge

/// The results of the kit in JUnit's XML, which CI services read: a suite for each plugin, a
/// failure for each broken rule, an error for each crash or timeout.
enum JUnitReport {
    static func text(of reports: [ConformReport]) -> String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites>"]
        for report in reports {
            let tally = report.tally
            // A suite that was not run whole must not look like one that passed.
            let cut = report.notRun > 0 ? 1 : 0
            let errors = tally[.crash] + tally[.timeout] + cut
            let name = report.subject.sound?.id ?? report.path
            lines.append(
                "  <testsuite name=\"\(escaped(name))\" tests=\"\(tally.all + cut)\" failures=\"\(tally.failures + cut - errors)\" errors=\"\(errors)\" skipped=\"\(tally[.skip])\" time=\"\(TimeText.seconds(report.duration, decimals: 3))\">"
            )
            lines.append(
                "    <properties><property name=\"seed\" value=\"\(report.seed)\"/></properties>")
            for result in report.results { lines += self.lines(of: result, name) }
            if cut > 0 {
                lines += [
                    "    <testcase classname=\"\(escaped(name))\" name=\"interrupted\">",
                    "      <error message=\"a signal ended the kit before \(report.notRun) further runs\"/>",
                    "    </testcase>",
                ]
            }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>", ""]).joined(separator: "\n")
    }

    private static func lines(of result: CaseResult, _ suite: String) -> [String] {
        let time = TimeText.seconds(result.duration, decimals: 3)
        let head =
            "    <testcase classname=\"\(escaped(suite))\" name=\"\(result.shownName)\" time=\"\(time)\""
        let status = result.verdict.status
        let message = escaped(result.verdict.text)
        let notes = escaped(
            (result.verdict.notes + ["curfew explain \(result.tested.fault.code)"])
                .joined(separator: "\n"))
        let inside: String
        switch status {
        case .pass: return [head + "/>"]
        case .skip: inside = "<skipped message=\"\(message)\"/>"
        case .warn: inside = "<system-out>warning: \(message)\n\(notes)</system-out>"
        case .fail, .leak:
            inside =
                "<failure type=\"\(status.rawValue)\" message=\"\(message)\">\(notes)</failure>"
        case .crash, .timeout:
            inside = "<error type=\"\(status.rawValue)\" message=\"\(message)\">\(notes)</error>"
        }
        return [head + ">", "      " + inside, "    </testcase>"]
    }

    /// XML 1.0 has no way to write most control characters: they become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\n", "\t": result.append(scalar)
            default:
                let isAllowed =
                    scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                result.append(isAllowed ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }
}
