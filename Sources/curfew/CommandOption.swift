// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// An option a command takes.
struct CommandOption: Sendable {
    /// Without the dashes.
    let name: String
    /// A letter that means the same.
    var letter: Character?
    /// The name of its value in help; nil if it has none.
    var value: String?
    /// The sort of its value.
    var sort = ValueSort.text
    /// "" is a value as any other.
    var mayBeEmpty = false
    /// May be given more than once.
    var isRepeated = false
    /// One line, lower case, no full stop.
    let summary: String

    /// The option in help, `--budget TIME`.
    var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }

    static let help = CommandOption(
        name: "help", letter: "h", summary: "print help, and do nothing else")
    static let noColor = CommandOption(
        name: "no-color", summary: "no colours, no redrawn lines (like NO_COLOR=1)")
    static let json = CommandOption(name: "json", summary: "print JSON")
    static let plugins = CommandOption(
        name: "plugins", value: "DIR", sort: .directory, isRepeated: true,
        summary: "search for plugins in this directory only")
    static let plugin = CommandOption(
        name: "plugin", value: "DIR", sort: .directory, isRepeated: true,
        summary: "use the plugin in this directory only")
    static let systemLibrary = CommandOption(
        name: "system-library", value: "SONAME", isRepeated: true,
        summary: "permit manifests to call functions of this library too: libpcap.so.0.8")
    static let isolation = CommandOption(
        name: "isolation", value: "WHERE", sort: .words(Isolation.allCases.map(\.name)),
        summary:
            "where plugins' code runs: thread, process (of each, the default) or fresh (of each task)"
    )
    static let trust = CommandOption(
        name: "trust", value: "POLICY", sort: .words(TrustPolicy.allCases.map(\.name)),
        summary: "whether plugins have to be signed: off, warn or require")
    static let confine = CommandOption(
        name: "confine",
        summary: "let plugins use only what their manifests need, or nothing but the usual")
    static let store = CommandOption(
        name: "store", value: "DIR", sort: .directory,
        summary: "use this store in place of the default one; or the URL of a database")
    static let socket = RemoteHost.option
    static let limit = CommandOption(
        name: "limit", value: "N", summary: "print at most N; default 100")
    static let version = CommandOption(name: "version", summary: "the same as `curfew version`")

    /// The options of every command.
    static let everywhere = [help, noColor]
}
