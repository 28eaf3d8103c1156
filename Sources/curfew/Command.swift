// SPDX-License-Identifier: Apache-2.0

/// A command of the program: the source of parsing, running, help, the manual and completions.
struct Command: Sendable {
    let name: String
    /// One line, lower case, no full stop.
    let summary: String
    /// The operands, as help shows them: `IDENTIFIER`, `PATH…`.
    var operands = ""
    /// The number of operands.
    var operandCount: ClosedRange<Int> = 0...0
    var operandSort = ValueSort.text
    /// `-- PROGRAM ARGUMENT…` may stand in place of the operands.
    var takesProgram = false
    /// Besides those that every command has.
    var options: [CommandOption] = []
    /// Paragraphs of its help; where their lines end is of no importance.
    var details: [String] = []
    var exits = ExitMeaning.telling
    var sections: [HelpSection] = []
    var examples: [String] = []
    let run: @Sendable (Arguments, Console) throws(CommandError) -> ExitCode

    /// Its last operand can be repeated, up to the end of `operandCount`.
    var takesMany: Bool { operands.contains("…") }

    var allOptions: [CommandOption] { options + CommandOption.everywhere }

    /// The synopsis: `curfew lint PATH… [OPTION]…`.
    var usage: String {
        if takesProgram { return "curfew \(name) [OPTION]… \(operands)|-- PROGRAM [ARGUMENT]…" }
        return "curfew " + name + (operands.isEmpty ? "" : " " + operands)
            + (options.isEmpty ? "" : " [OPTION]…")
    }
}
