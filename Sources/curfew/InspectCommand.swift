// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Runner
import Scheduling

/// `curfew inspect`
enum InspectCommand {
    static let loadOption = CommandOption(
        name: "load", summary: "also load it, in a child process")
    static let limitOption = CommandOption(
        name: "limit", value: "TIME", summary: "time limit for loading; default 10s")

    static let command = Command(
        name: "inspect", summary: "print all facts about a plugin, or what confines plugins here",
        operands: "[PLUGIN]", operandCount: 0...1, operandSort: .plugin,
        options: [loadOption, limitOption, .plugins, .json],
        details: [
            """
            PLUGIN is the directory of a plugin, or an id or a handler's identifier, which
            is searched as by `curfew plugins`. The command reads the manifest and the
            library's file, and runs no code of the plugin. It starts a process as the
            plugin's would be, and prints what of its sandbox is in force on this machine.
            """,
            """
            Without PLUGIN the command prints that for a plugin whose manifest needs nothing.
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
        if arguments.operands.isEmpty { return try machine(arguments, console) }
        let plugin = InspectedPlugin(
            directory: try PluginOperand.directory(arguments.operands[0], arguments))
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

    /// Prints what confines a plugin that needs nothing.
    private static func machine(
        _ arguments: Arguments, _ console: Console
    ) throws(CommandError) -> ExitCode {
        for option in [loadOption, limitOption] where arguments.has(option) {
            throw CommandError(
                .usage, "`--\(option.name)` wants a plugin",
                help: ["curfew inspect PLUGIN --load", "curfew plugins"])
        }
        let features: ChildFeatures
        do throws(BridgeError) {
            features = try ChildFeatures.probe(ManifestNeeds(), entersLeaf: true)
        } catch {
            throw CommandError(.host, error.message, notes: ["no plugin can have a process here"])
        }
        if arguments.has(.json) {
            console.out.line(InspectRecords.item(features).written)
        } else {
            InspectScreen(console.out).show(features)
        }
        return .ok
    }
}
