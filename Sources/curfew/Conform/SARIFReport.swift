// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Conformance
import PluginBridge
import Scheduling

/// What the kit found in SARIF 2.1.0, which code hosts show beside the sources: a rule for each case, a
/// result for each that did not pass. What passed or was skipped is no result.
enum SARIFReport {
    static func text(of reports: [ConformReport]) -> String {
        JSONItem.object([
            ("$schema", .text("https://json.schemastore.org/sarif-2.1.0.json")),
            ("version", .text("2.1.0")), ("runs", .list(reports.map(run))),
        ]).written + "\n"
    }

    private static func run(_ report: ConformReport) -> JSONItem {
        let found = report.results.filter {
            $0.verdict.status.isFailure || $0.verdict.status == .warn
        }
        var rules: [ConformanceCase] = []
        for result in found where !rules.contains(where: { $0.name == result.tested.name }) {
            rules.append(result.tested)
        }
        let driver = JSONItem.object([
            ("name", .text("curfew conform")), ("version", .text(CURFEW_VERSION_STRING)),
            ("rules", .list(rules.map(rule))),
        ])
        return .object([
            ("tool", .object([("driver", driver)])),
            ("results", .list(found.map { result($0, report, rules) })),
            (
                "invocations",
                .list([
                    .object([
                        // False where a signal has ended the kit: what is missing may be wrong.
                        ("executionSuccessful", .bool(report.notRun == 0)),
                        (
                            "properties",
                            .object([("seed", .integer(Int64(clamping: report.seed)))])
                        ),
                    ])
                ])
            ),
        ])
    }

    private static func rule(_ tested: ConformanceCase) -> JSONItem {
        let fault = tested.fault
        return .object([
            ("id", .text(fault.code)), ("name", .text(fault.name)),
            ("shortDescription", .object([("text", .text(fault.text))])),
            ("fullDescription", .object([("text", .text(fault.explanation))])),
            ("help", .object([("text", .text("curfew explain \(fault.code)"))])),
        ])
    }

    private static func result(
        _ result: CaseResult, _ report: ConformReport, _ rules: [ConformanceCase]
    ) -> JSONItem {
        let verdict = result.verdict
        let text = ([verdict.text] + verdict.notes).joined(separator: "\n")
        // The kit knows no source files, and a place is asked for.
        let file = (report.path.ends(with: "/") ? report.path : report.path + "/") + "manifest.json"
        let place = JSONItem.object([
            (
                "physicalLocation",
                .object([("artifactLocation", .object([("uri", .text(uri(file)))]))])
            )
        ])
        let index = rules.firstIndex { $0.name == result.tested.name } ?? 0
        return .object([
            ("ruleId", .text(result.tested.fault.code)), ("ruleIndex", .integer(Int64(index))),
            ("level", .text(verdict.status == .warn ? "warning" : "error")),
            ("message", .object([("text", .text(text))])), ("locations", .list([place])),
            (
                "properties",
                .object([
                    ("status", .text(verdict.status.rawValue)),
                    ("isolation", .text(result.isolation.name)),
                    ("seed", result.seed.map { .integer(Int64(clamping: $0)) } ?? .null),
                ])
            ),
        ])
    }

    /// A path as a reference of RFC 3986.
    private static func uri(_ path: String) -> String {
        let kept = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var uri = path.begins(with: "/") ? "file://" : ""
        for byte in path.utf8 {
            if kept.contains(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                uri += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return uri
    }
}
