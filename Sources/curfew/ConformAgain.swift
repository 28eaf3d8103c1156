// SPDX-License-Identifier: Apache-2.0
import Conformance

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
        let isSame =
            report.results.count == 1 && (!result.tested.isSeeded || request.isReproducing)
        inChild = request.isInProcess || isSame ? nil : "curfew \(words)"
        underDebugger = result.tested.runsCode ? "gdb --args curfew \(words) --in-process" : nil
    }
}
