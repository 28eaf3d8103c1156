// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Text as a shell takes it for one word, so that a suggested command can be pasted.
enum ShellWord {
    static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "-", "_", "+", ",", ":", "=", "@", "%":
                true
            default: scalar.value >= 0xA0
            }
        }
        if isPlain, !text.isEmpty { return text }
        // In single quotes only the quote itself means something. A quote and a combining mark after
        // it are one character in Swift, and two to the shell.
        let quoted = text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }
        return "'" + quoted.joined() + "'"
    }

    /// Returns the command line of a program.
    static func line(_ program: CommandPayload) -> String {
        program.arguments.map(quoted).joined(separator: " ")
    }

    /// Returns the command line of a program, without the program's directory.
    static func shortLine(_ program: CommandPayload) -> String {
        let name = program.arguments[0].parts(at: "/").last.map { String($0) }
        return ([name ?? ""] + program.arguments.dropFirst()).map(quoted).joined(separator: " ")
    }

    /// Quotes an operand that names a file, so that it is taken neither for an option nor for
    /// standard input.
    static func path(_ text: String) -> String {
        quoted(text.begins(with: "-") ? "./" + text : text)
    }
}

/// A value that follows the name of its option.
enum TypedValue {
    /// - Parameter lead: `--after`, `advance=` or `submit:after=`.
    static func text(_ value: String, after lead: String) -> String {
        lead.hasSuffix("=") ? ShellWord.quoted(lead + value) : lead + " " + ShellWord.quoted(value)
    }
}
