// SPDX-License-Identifier: Apache-2.0

/// An option a command takes.
struct CommandOption: Sendable {
    /// Without the dashes.
    let name: String
    /// A letter that means the same.
    var letter: Character?
    /// How its value is called in help; nil: it has none.
    var value: String?
    /// The sort of its value.
    var sort = ValueSort.text
    /// "" is a value as any other.
    var mayBeEmpty = false
    /// May be given more than once.
    var isRepeated = false
    /// One line, lower case, no full stop.
    let summary: String

    /// How help writes it, `--budget TIME`.
    var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }

    static let help = CommandOption(
        name: "help", letter: "h", summary: "explain, and do nothing else")
    static let noColor = CommandOption(
        name: "no-color", summary: "no colours, nothing drawn over (like NO_COLOR=1)")
    static let json = CommandOption(name: "json", summary: "write JSON, for other programs")
    static let plugins = CommandOption(
        name: "plugins", value: "DIR", sort: .directory, isRepeated: true,
        summary: "look for plugins there, and only there")
    static let plugin = CommandOption(
        name: "plugin", value: "DIR", sort: .directory, isRepeated: true,
        summary: "take the plugin in this directory, and look nowhere else")
    static let store = CommandOption(
        name: "store", value: "DIR", sort: .directory,
        summary: "the store to work on, in place of the usual one")
    static let limit = CommandOption(
        name: "limit", value: "N", summary: "show at most so many, 100 without it")
    static let version = CommandOption(name: "version", summary: "the same as `curfew version`")

    /// The options of every command.
    static let everywhere = [help, noColor]
}
