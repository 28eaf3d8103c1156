// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import PluginStore
import Scheduling

/// `curfew rollback`
enum RollbackCommand {
    static let command = Command(
        name: "rollback", summary: "bring back the version before of an installed plugin",
        operands: "ID", operandCount: 1...1, operandSort: .plugin,
        options: [.trust, InstallPlace.systemOption, .json],
        details: [
            """
            Puts the version that `curfew install` replaced back in its place; a plugin that
            was removed comes back as it was. The last eight versions of each plugin are kept.
            """
        ],
        exits: [ExitMeaning(.ok, "it is back"), ExitMeaning.unwritten, ExitMeaning.usage]
            + ExitMeaning.installing + [
                ExitMeaning(.refused, "the version before is not signed by a trusted key"),
                ExitMeaning(.notFound, "there is no such plugin, or no version before"),
            ],
        examples: ["curfew rollback org.curfew.mirror"]
    ) { arguments, console throws(CommandError) in
        let place = try InstallPlace(arguments)
        let trust = try InstallTrust(arguments, place, console)
        let id = try PluginName.checked(arguments.operands[0])
        let root = try place.open(console)
        let (current, version) = try InstallPlace.translated { () throws(StoreFailure) in
            let current = try root.plugin(id)
            return (current, try root.version(before: current, of: id))
        }
        let stored = root.path(of: version)
        guard case .success(let manifest) = Manifest.read(directory: stored), manifest.id == id
        else {
            throw CommandError(
                .conflict, "version \(version.version) of \(id) cannot be used",
                notes: ["nothing was changed"], help: ["curfew lint \(ShellWord.path(stored))"])
        }
        let signer = try trust.signer(of: stored, shown: id)
        try InstallPlace.translated { () throws(StoreFailure) in
            try root.rollBack(
                id, to: version, from: current, signer: signer?.key.id.description)
        }
        let installed = InstalledScreen(
            manifest: manifest, version: version, signer: signer, before: current?.version,
            directory: root.directory.appending(component: id))
        if arguments.has(.json) {
            console.out.line(installed.item.written)
        } else {
            installed.show(console, "back")
        }
        return .ok
    }
}
