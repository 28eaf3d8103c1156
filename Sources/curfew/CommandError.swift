// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The failure of a command, as printed on standard error.
struct CommandError: Error {
    let code: ExitCode
    /// The cause: lower case, no full stop. It may quote untrusted text.
    let message: String
    /// The fault that `curfew explain` explains, if there is one.
    let fault: Fault?
    /// Further facts, one line each.
    var notes: [String] = []
    /// The next steps; the last line is a command to type.
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
    func print(to output: Output) { output.write(text(for: output)) }

    /// Returns the message, with a line feed at the end.
    func text(for output: Output) -> String {
        var lines: [String] = []
        if isLaidOut {
            lines.append(output.shown(diagnostics: message))
        } else {
            let word = "error" + (fault.map { "[\($0.code)]" } ?? "")
            let text = output.wrapped(Shown.line(message), after: word.count + 2, indent: 7)
            lines.append(output.paint(word, .alarm) + ": " + text)
        }
        for note in notes {
            lines.append("  = note: " + output.wrapped(Shown.line(note), after: 10, indent: 10))
        }
        let help = help + (fault.map { ["curfew explain \($0.code)"] } ?? [])
        // Commands are not wrapped, so that they can be copied.
        for (index, line) in help.enumerated() {
            lines.append((index == 0 ? "  = help: " : "          ") + Shown.line(line))
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
