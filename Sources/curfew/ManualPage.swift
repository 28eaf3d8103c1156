// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// The manual, made from the table of commands.
enum ManualPage {
    /// The date of the texts, so that repeated builds produce the same page.
    private static let date = "2026-11-20"
    private static let source = "curfew \(CURFEW_VERSION_STRING)"

    /// The name of a page: `curfew`, `curfew-run`.
    static func name(_ command: Command?) -> String {
        "curfew" + (command.map { "-" + $0.name } ?? "")
    }

    /// The page of a command, or the one of the program.
    static func text(_ command: Command?) -> String {
        command.map(page) ?? overview
    }

    private static var overview: String {
        var page = Roff(title: name(nil), date: date, source: source)
        page.section("name")
        page.name(name(nil), HelpText.summary)
        page.section("synopsis")
        page.line("`curfew` " + HelpText.usage.dropFirst("curfew ".count))
        page.section("description")
        page.line(
            """
            A plugin is a directory with a manifest, and mostly a shared object or a program, which has \
            handlers for background tasks. This program finds plugins, checks them, and runs their \
            tasks, or any program, now or once a date has come. When the budget of a task is used up, \
            the task expires and has a grace to end.
            """)
        page.section("commands")
        for command in CommandTable.all {
            page.item(
                command.usage,
                HelpText.sentence(command.summary) + " See `"
                    + name(command) + "(1)`.")
        }
        page.section("options")
        options(HelpText.programOptions, &page)
        page.section("exit status")
        exits(ExitMeaning.all, &page)
        page.section("environment")
        for (term, text) in ProgramInputs.variables { page.item(term, text + ".") }
        page.section("files")
        page.line("PREFIX is the directory above the one this program is in.")
        for (term, text) in ProgramInputs.files { page.item(term, text + ".") }
        page.section("see also")
        page.line(CommandTable.all.map { "`\(name($0))(1)`" }.joined(separator: ", "))
        return page.text
    }

    private static func page(_ command: Command) -> String {
        var page = Roff(title: name(command), date: date, source: source)
        page.section("name")
        page.name(name(command), command.summary)
        page.section("synopsis")
        let words = "curfew " + command.name
        page.line("`\(words)`" + command.usage.dropFirst(words.count))
        if !command.details.isEmpty { page.section("description") }
        for (index, paragraph) in command.details.enumerated() {
            if index == 0 { page.line(paragraph) } else { page.paragraph(paragraph) }
        }
        page.section("options")
        options(command.allOptions, &page)
        page.section("exit status")
        exits(command.exits, &page)
        for section in command.sections {
            page.section(section.title)
            if !section.text.isEmpty { page.line(section.text) }
            for (term, text) in section.rows { page.item(term, text) }
        }
        if !command.examples.isEmpty {
            page.section("examples")
            page.example(command.examples)
        }
        page.section("see also")
        page.line("`\(name(nil))(1)`")
        return page.text
    }

    private static func options(_ options: [CommandOption], _ page: inout Roff) {
        for option in options {
            page.item(
                (option.letter.map { "-\($0), " } ?? "") + option.usage, HelpText.text(option) + "."
            )
        }
    }

    private static func exits(_ exits: [ExitMeaning], _ page: inout Roff) {
        for exit in exits { page.item(exit.status, exit.text + ".") }
    }
}
