// SPDX-License-Identifier: Apache-2.0

/// `curfew help`
enum HelpCommand {
    static let command = Command(
        name: "help", summary: "print help on the program or a command", operands: "[COMMAND]",
        operandCount: 0...1, operandSort: .command
    ) { arguments, console throws(CommandError) in
        let text =
            if let name = arguments.operands.first {
                HelpText.command(try CommandTable.command(name), console.out)
            } else {
                HelpText.program(console.out)
            }
        console.out.line(text)
        return .ok
    }
}
