// SPDX-License-Identifier: Apache-2.0
import Conformance

/// The command that repeats a failure.
struct ConformAgain {
    /// In a child; nil where this was asked for already.
    let inChild: String?
    /// Where a debugger can look at it; nil where nothing of the plugin's is run.
    let underDebugger: String?

    init(_ result: CaseResult, _ report: ConformReport, _ request: ConformRequest) {
        var words = "conform \(ShellWord.path(Shown.line(report.path)))"
        words += " --only \(result.tested.name)"
        if let seed = result.seed {
            words += " --reproduce \(seed)"
        } else if result.tested.isSeeded {
            words += (request.isReproducing ? " --reproduce" : " --seed") + " \(report.seed)"
        }
        let isSame =
            report.results.count == 1 && (!result.tested.isSeeded || request.isReproducing)
        inChild = request.isInProcess || isSame ? nil : "curfew \(words)"
        underDebugger = result.tested.runsCode ? "gdb --args curfew \(words) --in-process" : nil
    }
}
