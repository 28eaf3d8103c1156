// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import PluginStore
import Scheduling

/// `curfew install`
enum InstallCommand {
    private static let downgradeOption = CommandOption(
        name: "allow-downgrade", summary: "replace a version by an older one")

    static let command = Command(
        name: "install", summary: "install a plugin, or another version of it",
        operands: "PATH", operandCount: 1...1, operandSort: .file,
        options: [.trust, downgradeOption, InstallPlace.systemOption, .systemLibrary, .json],
        details: [
            """
            PATH is the directory of a plugin, or a tar archive of it, also one that is
            compressed by gzip, bzip2, xz or Zstandard. The command copies it, checks the
            copy as `curfew lint` does, without running its code, and then puts it among the
            plugins in one step: what was there before stays until then, and in the store
            beside the plugins afterwards.
            """,
            """
            Without --trust and CURFEW_TRUST, a plugin that no trusted key has signed is
            installed with a warning; with require it is refused, and so is a version that is
            older than the present one.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it is installed, or was already"),
            ExitMeaning(.faults, "it has a fault, or the output could not be written"),
            ExitMeaning.usage,
        ] + ExitMeaning.installing + [
            ExitMeaning(.refused, "it is not signed, or is none that may be installed")
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("id, version, hash", "of the plugin; the hash names it in the store"),
                    ("directory", "where it is now"),
                    ("changed", "false if that very content was installed before"),
                    ("before", "version and hash of what was there before, or null"),
                    ("signer", "the number of the key, or null"),
                ])
        ],
        examples: [
            "curfew install build/plugins/mirror",
            "tar -czf mirror.tgz -C build/plugins mirror && curfew install mirror.tgz",
        ]
    ) { arguments, console throws(CommandError) in
        let place = try InstallPlace(arguments)
        let trust = try InstallTrust(arguments, place, console)
        let source = arguments.operands[0]
        let libraries = try arguments.systemLibraries
        let root = try place.open(console)
        let staged = try InstallPlace.translated { () throws(StoreFailure) in
            try root.stage(source)
        }
        let linted = LintedPlugin(path: staged.path, systemLibraries: libraries)
        guard linted.faults.isEmpty, let manifest = linted.manifest else {
            var screen = FaultScreen()
            for fault in linted.faults {
                let text = screen.text(of: fault, console.errors)
                console.errors.line(text.replacing(staged.path, with: source))
                console.errors.line()
            }
            throw CommandError(
                .faults, "`\(source)` is not installed: it has faults",
                notes: ["nothing was changed"], help: ["curfew lint \(ShellWord.path(source))"])
        }
        let signer = try trust.signer(of: staged.path, shown: source)
        try checkVersion(manifest, root, trust, arguments)
        let version = StoredVersion(digest: staged.digest, version: manifest.version)
        let before = try InstallPlace.translated { () throws(StoreFailure) in
            try root.install(manifest.id, version, signer: signer?.key.id.description)
        }
        let installed = InstalledScreen(
            manifest: manifest, version: version, signer: signer, before: before?.version,
            directory: root.directory.appending(component: manifest.id))
        if arguments.has(.json) {
            console.out.line(installed.item.written)
        } else {
            installed.show(console, "installed")
        }
        return .ok
    }

    private static func checkVersion(
        _ manifest: Manifest, _ root: InstallRoot, _ trust: InstallTrust, _ arguments: Arguments
    ) throws(CommandError) {
        guard !arguments.has(downgradeOption) else { return }
        let current = try InstallPlace.translated { () throws(StoreFailure) in
            try root.plugin(manifest.id)?.version.version
        }
        guard let current, current != "-",
            ManifestVersion(manifest.version) < ManifestVersion(current)
        else { return }
        try trust.report(
            BridgeError(
                .downgrade,
                "\(manifest.id) \(manifest.version) is older than \(current), which is installed; --allow-downgrade says that this is wanted"
            ))
    }
}
