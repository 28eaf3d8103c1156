// SPDX-License-Identifier: Apache-2.0
import Glibc

/// `curfew man`
enum ManualCommand {
    static let intoOption = CommandOption(
        name: "into", value: "DIR", sort: .directory,
        summary: "write all pages to a directory, as NAME.1")

    static let command = Command(
        name: "man", summary: "print a manual page, for man(1)", operands: "[COMMAND]",
        operandCount: 0...1, operandSort: .command, options: [intoOption],
        details: [
            """
            Prints the page of a command, or that of the program. After an installation,
            `man curfew` and `man curfew-run` print the same pages.
            """
        ],
        exits: [
            ExitMeaning(.ok, "success"),
            ExitMeaning(.faults, "the output or a file could not be written"), ExitMeaning.usage,
        ],
        examples: ["curfew man run | man -l -", "mkdir -p man1 && curfew man --into man1"]
    ) { arguments, console throws(CommandError) in
        let command: Command? =
            if let name = arguments.operands.first {
                try CommandTable.command(name)
            } else {
                nil
            }
        guard let directory = arguments.value(intoOption) else {
            console.out.write(ManualPage.text(command))
            return .ok
        }
        guard command == nil else {
            throw CommandError(
                .usage, "`--into` writes all pages, not that of one command",
                help: ["curfew help man"])
        }
        for command in [nil] + CommandTable.all.map(Optional.some) {
            try write(
                ManualPage.text(command), to: "\(directory)/\(ManualPage.name(command)).1")
        }
        return .ok
    }

    private static func write(_ text: String, to path: String) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unwritten(path, errno) }
        let output = Output(descriptor: descriptor)
        output.write(text)
        guard close(descriptor) == 0, output.failure == 0 else {
            throw unwritten(path, output.failure == 0 ? errno : output.failure)
        }
    }

    private static func unwritten(_ path: String, _ code: Int32) -> CommandError {
        CommandError(
            .faults, "`\(path)` cannot be written: \(String(cString: strerror(code)))",
            help: ["name an existing directory: --into DIR"])
    }
}
