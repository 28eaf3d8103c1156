// SPDX-License-Identifier: Apache-2.0

/// `curfew completions`
enum CompletionsCommand {
    static let command = Command(
        name: "completions", summary: "write a script that teaches a shell to complete curfew",
        operands: "SHELL", operandCount: 1...1, operandSort: .shell,
        details: [
            """
            SHELL is bash, zsh or fish. The script goes to standard output; `make install`
            puts all three where the shells look for them. What they offer comes from the
            program itself, the handlers that are found and the codes that are explained
            among it, so a script need not be made again for another version.
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
