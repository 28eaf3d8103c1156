// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge

/// The plugins of some directories, found without loading any code.
struct PluginSearch {
    /// The directories that were searched, in order; plugins of earlier ones win.
    let directories: [String]
    private(set) var plugins: [FoundPlugin] = []
    /// The options by which another command looks at the same places, each after a blank.
    let options: String
    /// The resolved paths of the plugins, since two paths may lead to one plugin.
    private var places: Set<String> = []

    /// Searches the directories of the options, or the usual ones.
    ///
    /// - Parameter configured: the directories of a configuration, in place of the usual ones.
    init(
        _ arguments: Arguments, configured: [String]? = nil, failingWith code: ExitCode
    ) throws(CommandError) {
        let (single, named) = (arguments.values(.plugin), arguments.values(.plugins))
        let isUsual = single.isEmpty && named.isEmpty
        try self.init(
            single: single, named: isUsual ? configured ?? [] : named, failingWith: code)
    }

    /// - Parameters:
    ///   - single: directories of one plugin each, looked at first.
    ///   - named: directories of plugins, or of one.
    init(single: [String], named: [String], failingWith code: ExitCode) throws(CommandError) {
        for directory in single where !PluginSearch.hasManifest(directory) {
            throw CommandError(
                code, "there is no plugin in `\(directory)`: it has no \(Manifest.fileName)",
                help: ["name the directory that has one: --plugin DIR"])
        }
        let isUsual = single.isEmpty && named.isEmpty
        var seen: Set<String> = []
        directories = (isUsual ? PluginSearch.usual.directories : single + named).filter {
            seen.insert(PluginSearch.place($0)).inserted
        }
        options =
            isUsual ? "" : directories.map { " --plugins " + ShellWord.quoted($0) }.joined()
        for directory in directories {
            if PluginSearch.hasManifest(directory) {
                add(directory)
            } else {
                try scan(directory, mustExist: !isUsual, code)
            }
        }
    }

    private static func hasManifest(_ directory: String) -> Bool {
        access(directory + "/" + Manifest.fileName, F_OK) == 0
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
            defer { try? host.shutDown() }
            try host.scan(directory)
            for found in host.plugins { add(found.directory) }
        } catch {
            // Usual directories may be missing, as in PATH.
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

    /// Returns the path without links and dots, or unchanged if it does not exist.
    private static func place(_ directory: String) -> String {
        Installation.place(of: directory) ?? directory
    }

    private static var usual: PluginSearchPath { .ofProcess(installed: Installation.plugins) }
}
