// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling

/// `curfew inspect`
enum InspectCommand {
    static let loadOption = CommandOption(
        name: "load", summary: "also load it, in a child process")
    static let limitOption = CommandOption(
        name: "limit", value: "TIME", summary: "time limit for loading; default 10s")

    static let command = Command(
        name: "inspect", summary: "print all facts about a plugin",
        operands: "PLUGIN", operandCount: 1...1, operandSort: .plugin,
        options: [loadOption, limitOption, .plugins, .json],
        details: [
            """
            PLUGIN is the directory of a plugin, or an id or a handler's identifier, which
            is searched as by `curfew plugins`. The command reads the manifest and the
            library's file, and runs no code of the plugin.
            """,
            """
            With --load a child process also loads and retires the plugin. The command
            prints the time, the handlers, what the plugin left behind, and how the child
            ended. After the limit the child is killed, with every process that it started.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "no fault was found"),
            ExitMeaning(
                .faults,
                "its manifest or library has a fault, loading it failed, or its output could "
                    + "not be written"), ExitMeaning.usage,
            ExitMeaning(.host, "the host could not search for it, or start a process"),
            ExitMeaning(.notFound, "there is no such plugin"),
        ],
        examples: [
            "curfew inspect org.curfew.mirror",
            "curfew inspect build/plugins/mirror --load --json | jq .load",
        ]
    ) { arguments, console throws(CommandError) in
        let limit = try DurationArgument.value(
            of: limitOption, in: arguments, range: 1_000_000...600_000_000_000)
        let plugin = InspectedPlugin(directory: try directory(arguments))
        let trial: Trial? =
            if arguments.has(loadOption) || limit != nil {
                try Trial(directory: plugin.directory, limit: limit ?? Trial.usualLimit)
            } else {
                nil
            }
        if arguments.has(.json) {
            console.out.line(InspectRecords.item(plugin, trial).written)
        } else {
            InspectScreen(console.out).show(plugin, trial)
        }
        return plugin.linted.faults.isEmpty && trial?.isSound ?? true ? .ok : .faults
    }

    /// Returns the directory of the plugin, which is named, or found by its id or one of its
    /// handlers.
    private static func directory(_ arguments: Arguments) throws(CommandError) -> String {
        let name = arguments.operands[0]
        if name.utf8.contains(UInt8(ascii: "/"))
            || access(name + "/" + Manifest.fileName, F_OK) == 0
        {
            return name
        }
        let search = try PluginSearch(arguments, failingWith: .host)
        let found =
            search.plugins.first { $0.sound?.id == name }
            ?? search.plugin(declaring: name)?.plugin
            ?? search.plugins.first { $0.directory.parts(at: "/").last ?? "" == name }
        if let found { return found.directory }
        // The message for an empty directory says what is missing.
        var status = stat()
        if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return name }
        var help = ["curfew plugins" + search.options]
        let known = search.plugins.compactMap { $0.sound?.id } + search.identifiers
        if let near = Suggestion.identifier(near: name, among: known) {
            help.insert("did you mean `\(near)`?", at: 0)
        }
        throw CommandError(
            .notFound, "there is no plugin `\(name)`",
            notes: ["searched \(search.directories.joined(separator: ", "))"], help: help)
    }
}
