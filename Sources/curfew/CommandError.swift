// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Why a command could not be carried out, as it is told on standard error.
struct CommandError: Error {
    let code: ExitCode
    /// One cause: lower case, no full stop. May quote what came from outside.
    let message: String
    /// What `curfew explain` says more about, if anything.
    let fault: Fault?
    /// What else there is to know, one line each.
    var notes: [String] = []
    /// What to do next; the last line is the next thing to type.
    var help: [String] = []
    /// The message has been laid out already: a manifest's faults with their places.
    var isLaidOut = false

    init(
        _ code: ExitCode, _ message: String, fault: Fault? = nil, notes: [String] = [],
        help: [String] = [], isLaidOut: Bool = false
    ) {
        self.code = code
        self.message = message
        self.fault = isLaidOut ? CommandError.code(atStartOf: message) : fault
        self.notes = notes
        self.help = help
        self.isLaidOut = isLaidOut
    }

    /// The fault of `error[CF0203]: …`.
    private static func code(atStartOf message: String) -> Fault? {
        guard message.hasPrefix("error[") else { return nil }
        return Fault.coded(String(message.dropFirst(6).prefix { $0 != "]" }))
    }

    /// Prints it the way the faults of manifests look.
    func print(to output: Output) {
        if isLaidOut {
            output.line(output.shown(diagnostics: message))
        } else {
            let word = "error" + (fault.map { "[\($0.code)]" } ?? "")
            output.line(output.paint(word, .alarm) + ": " + Shown.line(message))
        }
        for note in notes { output.line("  = note: " + Shown.line(note)) }
        let help = help + (fault.map { ["curfew explain \($0.code)"] } ?? [])
        for (index, line) in help.enumerated() {
            output.line((index == 0 ? "  = help: " : "          ") + Shown.line(line))
        }
    }
}
