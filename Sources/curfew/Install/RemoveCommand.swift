// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import PluginStore

/// `curfew remove`
enum RemoveCommand {
    static let command = Command(
        name: "remove", summary: "remove an installed plugin",
        operands: "ID", operandCount: 1...1, operandSort: .plugin,
        options: [InstallPlace.systemOption, .json],
        details: [
            """
            Takes the plugin away in one step. A host that has loaded it goes on with its own
            copy of the library; programs of its handlers are not found any more. `curfew
            rollback` brings the plugin back.
            """
        ],
        exits: [ExitMeaning(.ok, "it is removed"), ExitMeaning.unwritten, ExitMeaning.usage]
            + ExitMeaning.installing + [
                ExitMeaning(.refused, "its directory has something other than files in it"),
                ExitMeaning(.notFound, "there is no such plugin"),
            ],
        examples: ["curfew remove org.curfew.mirror"]
    ) { arguments, console throws(CommandError) in
        let place = try InstallPlace(arguments)
        let id = try PluginName.checked(arguments.operands[0])
        let root = try place.open(console)
        let plugin = try InstallPlace.translated { () throws(StoreFailure) in
            try root.plugin(id)
        }
        guard let plugin else {
            throw CommandError(
                .notFound, "there is no plugin `\(id)` in \(root.directory)",
                notes: ["nothing was changed"], help: ["curfew plugins"])
        }
        try InstallPlace.translated { () throws(StoreFailure) in try root.remove(plugin) }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("id", .text(id)), ("version", .text(plugin.version.version)),
                    ("hash", .text(plugin.version.digest)),
                ]).written)
        } else {
            console.out.line(
                "\(id) \(plugin.version.version): \(console.out.paint("removed", .good))")
            console.out.line("  to bring it back: curfew rollback \(id)\(place.option)")
        }
        return .ok
    }
}
