// SPDX-License-Identifier: Apache-2.0

/// `curfew new`
enum NewCommand {
    static let languageOption = CommandOption(
        name: "lang", value: "LANGUAGE", sort: .language,
        summary: "its language: c (the default), c++, swift or rust; or call")
    static let intoOption = CommandOption(
        name: "into", value: "DIR", sort: .directory,
        summary: "create it in this directory")
    static let identifierOption = CommandOption(
        name: "id", value: "ID",
        summary: "the reverse-DNS name of its handler; default org.example.NAME")

    static let command = Command(
        name: "new", summary: "create a plugin: a directory that builds and tests itself",
        operands: "NAME", operandCount: 1...1,
        options: [languageOption, intoOption, identifierOption, .json],
        details: [
            """
            Creates the directory NAME with a working plugin: a handler for you to replace,
            its manifest, a Makefile, tests, and a file for continuous integration. An
            existing directory must be empty. If an error occurs, nothing is left behind.
            """,
            """
            NAME has lower-case letters, digits and `-`, begins with a letter, and has at
            most 64 bytes. The plugin needs this installation of Curfew, and no repository.
            """,
            """
            With `--lang call` it has no code of its own: its manifest exposes a C function
            that a library of the system has.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it was made"),
            ExitMeaning(.faults, "it could not be made, or the output could not be written"),
            ExitMeaning.usage,
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("name, language, id", "the arguments; id is that of the plugin"),
                    ("handler", "the identifier of its handler"),
                    ("directory", "the new directory, without links"),
                    ("files", "its files"),
                    ("next", "the commands to type now, one text each"),
                ])
        ],
        examples: [
            "curfew new my-feed", "curfew new my-feed --lang swift --id com.you.my-feed",
        ]
    ) { arguments, console throws(CommandError) in
        let language = try language(arguments.value(languageOption) ?? PluginLanguage.c.rawValue)
        let name = try ProjectName(
            arguments.operands[0], identifier: arguments.value(identifierOption),
            language: language)
        var directory = NewDirectory(name.text, in: arguments.value(intoOption) ?? ".")
        try directory.checkAbsence()
        let files = try ProjectTemplate(language).filled(name)
        try directory.make(files)
        let next = ["cd \(ShellWord.path(directory.path))", "make", "make check"]
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("name", .text(name.text)), ("language", .text(language.rawValue)),
                    ("id", .text(name.identifier + "-plugin")),
                    ("handler", .text(name.identifier)),
                    (
                        "directory",
                        .text(Installation.place(of: directory.path) ?? directory.path)
                    ),
                    ("files", .list(files.map { .text($0.path) })),
                    ("next", .list(next.map { .text($0) })),
                ]).written)
        } else {
            console.out.line(
                "\(Shown.line(directory.path)): a plugin in \(language.title) with the handler "
                    + name.identifier)
            for file in files { console.out.line("  " + Shown.line(file.path)) }
            console.out.line()
            console.out.line(console.out.paint("next:", .strong))
            for line in next { console.out.line("  " + Shown.line(line)) }
        }
        return .ok
    }

    private static func language(_ text: String) throws(CommandError) -> PluginLanguage {
        if let language = PluginLanguage(rawValue: text) { return language }
        let names = PluginLanguage.allCases.map(\.rawValue)
        var help = ["write `--lang \(names.joined(separator: "` or `--lang "))`"]
        if let near = PluginLanguage(rawValue: text.lowercased())?.rawValue
            ?? Suggestion.nearest(to: text, among: names)
        {
            help.insert("did you mean `--lang \(near)`?", at: 0)
        }
        throw CommandError(.usage, "there is no template for the language `\(text)`", help: help)
    }
}
