// SPDX-License-Identifier: Apache-2.0

/// One of the program's commands: what parsing, running and help are made from.
struct Command: Sendable {
    let name: String
    /// One line, lower case, no full stop.
    let summary: String
    /// What stands after the name, options aside: `IDENTIFIER`, `PATH…`.
    var operands = ""
    /// How many operands it takes.
    var operandCount: ClosedRange<Int> = 0...0
    /// Besides those that every command has.
    var options: [CommandOption] = []
    /// Paragraphs of its help, wrapped by hand at 78 columns.
    var details: [String] = []
    var examples: [String] = []
    let run: @Sendable (Arguments, Console) throws(CommandError) -> ExitCode

    var allOptions: [CommandOption] { options + CommandOption.everywhere }
}
