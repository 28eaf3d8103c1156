// SPDX-License-Identifier: Apache-2.0

/// Help, made from the table of commands.
enum HelpText {
    /// Options that stand before a command.
    static let programOptions = CommandOption.everywhere + [CommandOption.version]

    static func program(_ output: Output) -> String {
        let width = CommandTable.all.map(\.name.count).max() ?? 0
        var lines = [
            "Runs background tasks of plugins, each within a budget of time.",
            "", heading("usage", output) + " curfew COMMAND [OPTION]… [ARGUMENT]…", "",
            heading("commands", output),
        ]
        for command in CommandTable.all {
            lines.append(
                "  " + output.paint(Shown.padded(command.name, width), .strong) + "  "
                    + command.summary)
        }
        lines += ["", heading("options", output)] + listed(programOptions, output)
        lines += ["", "`curfew help COMMAND` explains one; the first thing to try: curfew plugins"]
        return lines.joined(separator: "\n")
    }

    static func command(_ command: Command, _ output: Output) -> String {
        var lines = [
            command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".", "",
        ]
        let operands = command.operands.isEmpty ? "" : " " + command.operands
        let options = command.options.isEmpty ? "" : " [OPTION]…"
        lines.append(heading("usage", output) + " curfew \(command.name)\(operands)\(options)")
        lines += ["", heading("options", output)] + listed(command.allOptions, output)
        for paragraph in command.details { lines += ["", paragraph] }
        if !command.examples.isEmpty {
            lines += ["", heading("examples", output)] + command.examples.map { "  " + $0 }
        }
        return lines.joined(separator: "\n")
    }

    private static func heading(_ text: String, _ output: Output) -> String {
        output.paint(text + ":", .strong)
    }

    private static func listed(_ options: [CommandOption], _ output: Output) -> [String] {
        let width = options.map(\.usage.count).max() ?? 0
        return options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return "  \(letter)\(Shown.padded(option.usage, width))  \(option.summary)"
                + (option.isRepeated ? "; repeatable" : "")
        }
    }
}
