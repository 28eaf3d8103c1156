// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Conformance
import PluginBridge
import Scheduling

/// A plugin, and the results of its cases.
struct ConformReport {
    /// The path on the command line.
    let path: String
    let subject: Subject
    let seed: UInt64
    var results: [CaseResult] = []
    /// The runs of cases that a signal kept the kit from.
    var notRun = 0
    /// Nanoseconds.
    var duration: UInt64 = 0

    var tally: Tally { Tally(results) }

    /// The handlers that have no example, so that no task of theirs is run.
    var untried: [String] {
        (subject.sound?.handlers ?? []).filter(\.examples.isEmpty).map(\.identifier)
    }

    var code: ExitCode {
        if isForeign { return .otherABI }
        if tally.failures > 0 { return .faults }
        // A plugin of which every case was skipped, or not all were run, has not passed.
        return notRun > 0 || tally[.skip] == tally.all ? .usage : .ok
    }

    /// Whether the plugin was built for another ABI, so that no other case applies.
    private var isForeign: Bool {
        switch subject.manifest {
        case .failure(let faults):
            return faults.diagnostics.contains { $0.rule == "manifest-abi" }
        case .success(let manifest):
            guard let path = subject.libraryPath, case .success(let note) = ABINote.read(path: path)
            else { return false }
            return note.abi != manifest.abi
        }
    }
}

/// The results of the kit as JSON. Members are only added; `version` changes when one is removed.
enum ConformRecords {
    static func item(_ reports: [ConformReport], _ request: ConformRequest) -> JSONItem {
        .object([
            ("version", .integer(1)),
            (
                "host",
                .object([
                    ("curfew", .text(CURFEW_VERSION_STRING)),
                    ("abi", .integer(Int64(CURFEW_ABI_VERSION))),
                ])
            ),
            ("level", .integer(Int64(request.selection.level))),
            ("ok", .bool(reports.allSatisfy { $0.code == .ok })),
            ("plugins", .list(reports.map(item))),
        ])
    }

    private static func item(_ report: ConformReport) -> JSONItem {
        let tally = report.tally
        return .object([
            ("path", .text(report.path)), ("id", .text(orNull: report.subject.sound?.id)),
            ("pluginVersion", .text(orNull: report.subject.sound?.version)),
            ("sha256", .text(orNull: (try? report.subject.elf?.get())?.sha256)),
            ("seed", .integer(Int64(report.seed))), ("ok", .bool(report.code == .ok)),
            ("untried", .list(report.untried.map { .text($0) })),
            ("seconds", .seconds(report.duration)), ("notRun", .integer(Int64(report.notRun))),
            (
                "tally",
                .object(
                    [("all", .integer(Int64(tally.all)))]
                        + CaseStatus.allCases.map { ($0.rawValue, .integer(Int64(tally[$0]))) })
            ),
            ("cases", .list(report.results.map(item))),
        ])
    }

    private static func item(_ result: CaseResult) -> JSONItem {
        .object([
            ("name", .text(result.tested.name)), ("code", .text(result.tested.fault.code)),
            ("level", .integer(Int64(result.tested.level))),
            ("isolation", .text(result.isolation.name)),
            ("status", .text(result.verdict.status.rawValue)),
            ("text", .text(result.verdict.text)),
            ("notes", .list(result.verdict.notes.map { .text($0) })),
            ("seconds", .seconds(result.duration)),
            ("leftOut", .integer(Int64(result.leftOut))),
            ("seed", result.seed.map { .integer(Int64($0)) } ?? .null),
            ("output", .text(result.output)),
        ])
    }
}
