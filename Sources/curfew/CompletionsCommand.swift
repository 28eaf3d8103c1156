// SPDX-License-Identifier: Apache-2.0

/// `curfew completions`
enum CompletionsCommand {
    static let command = Command(
        name: "completions", summary: "print a completion script for a shell",
        operands: "SHELL", operandCount: 1...1, operandSort: .words(Shell.allCases.map(\.rawValue)),
        details: [
            """
            SHELL is bash, zsh or fish. The command prints the script; `make install`
            installs all three. The script asks this program for completions, among them
            handlers and codes, so that it works with every version.
            """
        ],
        examples: [
            #"eval "$(curfew completions bash)""#,
            "mkdir -p ~/.zfunc && curfew completions zsh > ~/.zfunc/_curfew",
            "curfew completions fish | source",
        ]
    ) { arguments, console throws(CommandError) in
        let name = arguments.operands[0]
        guard let shell = Shell(rawValue: name) else {
            let names = Shell.allCases.map(\.rawValue)
            var help = ["write one of \(names.joined(separator: ", "))"]
            if let near = Suggestion.nearest(to: name, among: names) {
                help.insert("did you mean `\(near)`?", at: 0)
            }
            throw CommandError(
                .usage, "there are no completions for the shell `\(name)`", help: help)
        }
        console.out.line(CompletionScript.text(shell))
        return .ok
    }
}
