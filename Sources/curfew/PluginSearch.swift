// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge

/// The plugins of some directories, found without loading any code.
struct PluginSearch {
    /// Those that were looked through, in order; an earlier one's plugins come first.
    let directories: [String]
    private(set) var plugins: [FoundPlugin] = []
    /// The options by which another command looks at the same places, each after a blank.
    let options: String
    /// Where the plugins really are: one that is reached in two ways is one plugin.
    private var places: Set<String> = []

    init(_ arguments: Arguments, failingWith code: ExitCode) throws(CommandError) {
        let named = arguments.values(.plugins)
        var seen: Set<String> = []
        directories = (named.isEmpty ? PluginSearch.usual.directories : named).filter {
            seen.insert(PluginSearch.place($0)).inserted
        }
        options =
            named.isEmpty
            ? "" : directories.map { " --plugins " + ShellWord.quoted($0) }.joined()
        for directory in directories {
            if access(directory + "/" + Manifest.fileName, F_OK) == 0 {
                add(directory)
            } else {
                try scan(directory, mustExist: !named.isEmpty, code)
            }
        }
    }

    /// The first plugin that declares the identifier: that is the one a host would load.
    func plugin(declaring identifier: String) -> (plugin: FoundPlugin, handler: ManifestHandler)? {
        for plugin in plugins where plugin.isUsable {
            if let handler = plugin.handler(identifier) { return (plugin, handler) }
        }
        return nil
    }

    var identifiers: [String] {
        plugins.filter(\.isUsable).flatMap { ($0.sound?.handlers ?? []).map(\.identifier) }
    }

    private mutating func scan(
        _ directory: String, mustExist: Bool, _ code: ExitCode
    ) throws(CommandError) {
        do {
            // A host of its own: a host lists what it has seen, not where.
            let host = try Host()
            try host.scan(directory)
            for found in host.plugins { add(found.directory) }
        } catch {
            // Of the usual places, any may be missing, as in PATH.
            guard mustExist else { return }
            throw CommandError(
                code, String(describing: error),
                help: ["name a directory of plugins, or of one plugin: --plugins DIR"])
        }
    }

    private mutating func add(_ directory: String) {
        guard places.insert(PluginSearch.place(directory)).inserted else { return }
        let manifest = Manifest.read(directory: directory)
        let id = (try? manifest.get())?.id
        let first = id.flatMap { id in plugins.first { $0.sound?.id == id } }
        plugins.append(
            FoundPlugin(
                directory: directory, manifest: manifest, shadowedBy: first?.directory))
    }

    /// The path without links and dots, or as it is where there is nothing.
    private static func place(_ directory: String) -> String {
        guard let place = realpath(directory, nil) else { return directory }
        defer { free(place) }
        return String(cString: place)
    }

    private static var usual: PluginSearchPath { .ofProcess(installed: installed) }

    /// Where `make install` puts plugins, seen from the program itself.
    private static var installed: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let prefix = String(cString: program).split(separator: "/").dropLast(2)
        return prefix.map { "/" + $0 }.joined() + "/lib/curfew/plugins"
    }
}
