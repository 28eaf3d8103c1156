// SPDX-License-Identifier: Apache-2.0

/// Help, made from the table of commands.
enum HelpText {
    /// The purpose of the program.
    static let summary = "runs background tasks of programs and plugins, each within a budget"
    /// The synopsis.
    static let usage = "curfew COMMAND [OPTION]… [ARGUMENT]…"
    /// Options that stand before a command.
    static let programOptions = CommandOption.everywhere + [CommandOption.version]

    static func program(_ output: Output) -> String {
        let columns = columns(output)
        var lines = Shown.wrapped(sentence(summary), columns)
        lines += ["", heading("usage", output) + " " + usage, "", heading("commands", output)]
        lines += TermList.lines(
            CommandTable.all.map { ($0.name, $0.summary) }, columns: columns
        ) { output.paint($0, .strong) }
        lines += ["", heading("options", output)] + listed(programOptions, columns)
        lines.append("")
        lines += Shown.wrapped(
            "`curfew help COMMAND` explains one; the first thing to try: curfew plugins", columns)
        return lines.joined(separator: "\n")
    }

    static func command(_ command: Command, _ output: Output) -> String {
        let columns = columns(output)
        var lines = Shown.wrapped(sentence(command.summary), columns)
        lines += ["", heading("usage", output) + " " + command.usage]
        lines += ["", heading("options", output)] + listed(command.allOptions, columns)
        for paragraph in command.details {
            lines += [""] + Shown.wrapped(flowing(paragraph), columns)
        }
        lines += ["", heading("exit status", output)]
        lines += TermList.lines(
            command.exits.map { (Shown.rightAligned($0.status, 5), $0.text) }, columns: columns)
        for section in command.sections {
            lines += ["", heading(section.title, output)]
            if !section.text.isEmpty {
                lines += Shown.wrapped(flowing(section.text), columns - 2).map { "  " + $0 }
            }
            lines += TermList.lines(section.rows, columns: columns)
        }
        if !command.examples.isEmpty {
            lines += ["", heading("examples", output)] + command.examples.map { "  " + $0 }
        }
        return lines.joined(separator: "\n")
    }

    /// A summary as a sentence of its own.
    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// A paragraph without its line ends.
    static func flowing(_ paragraph: String) -> String { paragraph.replacing("\n", with: " ") }

    /// Returns the help of an option.
    static func text(_ option: CommandOption) -> String {
        option.summary + (option.isRepeated ? "; repeatable" : "")
    }

    private static func columns(_ output: Output) -> Int { max(24, min(80, output.columns ?? 80)) }

    private static func heading(_ text: String, _ output: Output) -> String {
        output.paint(text + ":", .strong)
    }

    private static func listed(_ options: [CommandOption], _ columns: Int) -> [String] {
        TermList.lines(
            options.map { option in
                ((option.letter.map { "-\($0), " } ?? "    ") + option.usage, text(option))
            }, columns: columns)
    }
}

/// A part of a command's help that lists terms: the events of a log, the fields of a document.
struct HelpSection: Sendable {
    /// Lower case.
    let title: String
    /// One paragraph, or nothing.
    var text = ""
    let rows: [(term: String, text: String)]
}

/// Terms and what they mean, one under another, as help shows options, commands and statuses.
enum TermList {
    /// - Parameters:
    ///   - columns: how wide the lines may become.
    ///   - paint: what is done to a term once it is as wide as the others.
    static func lines(
        _ rows: [(term: String, text: String)], columns: Int,
        paint: (String) -> String = { $0 }
    ) -> [String] {
        let widest = rows.map { Shown.width($0.term) }.max() ?? 0
        // On a narrow terminal the texts stand below their terms.
        let isBelow = columns - widest - 4 < 24
        let indent = isBelow ? 6 : widest + 4
        return rows.flatMap { row -> [String] in
            let texts = Shown.wrapped(row.text, max(20, columns - indent))
            let blank = String(repeating: " ", count: indent)
            if isBelow { return ["  " + paint(row.term)] + texts.map { blank + $0 } }
            return ["  " + paint(Shown.padded(row.term, widest)) + "  " + texts[0]]
                + texts.dropFirst().map { blank + $0 }
        }
    }
}
