// SPDX-License-Identifier: Apache-2.0
import Conformance
import Glibc

/// The program `curfew`.
@main
enum Program {
    static func main() {
        // The parent may have closed some of the first three descriptors. Open them, so that no
        // later file gets their numbers; in the wrong direction, so that using them fails.
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
        // A reader that leaves is noticed by the write that fails.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that may not become larger.
        signal(SIGXFSZ, SIG_IGN)
        let console = Console()
        let words: [String]
        do throws(CommandError) {
            words = try CommandLineWords.read()
            try Environment.check()
        } catch {
            error.print(to: console.errors)
            leave(error.code, console)
        }
        CaseChild.runIfAsked(words)
        if let code = TrialChild.run(words) { exit(code.rawValue) }
        if let code = Completion.run(words, console) { exit(code.rawValue) }
        leave(run(words, console), console)
    }

    private static func run(_ words: [String], _ console: Console) -> ExitCode {
        do throws(CommandError) {
            // Looked for by hand, so that the error about another word is plain as well.
            if words.prefix(while: { $0 != "--" }).contains("--\(CommandOption.noColor.name)") {
                console.makePlain()
            }
            let program = try Arguments(
                words, of: "curfew", options: HelpText.programOptions, upToOperand: true)
            if program.has(.version) {
                return try VersionCommand.command.run(program, console)
            }
            guard let name = program.operands.first else {
                if program.has(.help) {
                    console.out.line(HelpText.program(console.out))
                    return .ok
                }
                console.errors.line(HelpText.program(console.errors))
                return .usage
            }
            let command = try CommandTable.command(name)
            let rest = Array(program.operands.dropFirst())
            let arguments = try Arguments(
                rest, of: "curfew \(name)", options: command.allOptions,
                takesProgram: command.takesProgram)
            if arguments.has(.help) || program.has(.help) {
                console.out.line(HelpText.command(command, console.out))
                return .ok
            }
            try check(arguments, command)
            return try command.run(arguments, console)
        } catch {
            error.print(to: console.errors)
            return error.code
        }
    }

    private static func check(_ arguments: Arguments, _ command: Command) throws(CommandError) {
        let operands = arguments.operands
        if !arguments.program.isEmpty {
            guard let extra = operands.first else { return }
            throw CommandError(
                .usage, "`curfew \(command.name)` takes `\(extra)` or a program, and not both",
                help: ["curfew help \(command.name)"])
        }
        let usage =
            "curfew \(command.name)" + (command.operands.isEmpty ? "" : " " + command.operands)
        if operands.count < command.operandCount.lowerBound {
            let other = command.takesProgram ? ", or `curfew \(command.name) -- PROGRAM`" : ""
            throw CommandError(
                .usage, "`curfew \(command.name)` lacks its argument",
                help: ["write `\(usage)`\(other)", "curfew help \(command.name)"])
        }
        let most = command.operandCount.upperBound
        if operands.count > most, command.takesMany {
            throw CommandError(
                .usage,
                "`curfew \(command.name)` takes at most \(Shown.number(UInt64(most))) arguments, and these are \(Shown.number(UInt64(operands.count)))",
                help: ["write `\(usage)`", "curfew help \(command.name)"])
        }
        if operands.count > most {
            let extra = operands[most]
            throw CommandError(
                .usage, "`curfew \(command.name)` takes no argument `\(extra)`",
                help: ["curfew help \(command.name)"])
        }
        if operands.contains("") {
            throw CommandError(
                .usage, "an argument of `curfew \(command.name)` is empty",
                help: ["write `\(usage)`", "curfew help \(command.name)"])
        }
    }

    /// Ends the process, in the way that tells its parent whether the output was wanted.
    ///
    /// - Parameter atOnce: leave threads that are inside plugins alone: run nothing at the exit.
    static func leave(_ code: ExitCode, _ console: Console, atOnce: Bool = false) -> Never {
        var code = code
        let failure = console.out.failure
        if failure == EPIPE {
            // Ends as if the signal had not been ignored, so that the parent sees its status.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        } else if failure != 0 {
            CommandError(
                .faults, "cannot write to standard output: \(String(cString: strerror(failure)))"
            ).print(to: console.errors)
            // The progress of the task when its output failed is random, and was not printed.
            code = .faults
        }
        if atOnce { _exit(code.rawValue) }
        ReturnLimit.current?.exit(code, console)
        exit(code.rawValue)
    }
}
