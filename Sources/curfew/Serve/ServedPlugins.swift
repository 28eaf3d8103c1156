// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewValues
import PluginBridge
import Runner
import Service

/// Loads the plugins that a host of `curfew serve` finds, and compares the loaded ones with their files and settings.
/// Any thread may call, one at a time.
final class ServedPlugins: Sendable {
    private let host: Host
    private let lines: ServeLines
    /// The option of the command line that says where all plugins run, whatever is said elsewhere.
    private let isolation: Isolation?
    /// The settings with which each plugin was loaded, by id.
    private let loadedBy = Locked<[String: PluginSettings.Effective]>([:])

    /// The result of `load`.
    struct Loaded {
        /// The ids of those that were loaded.
        var ids: [String] = []
        /// For people, of those that were not: why. The host has logged it.
        var refused: [String] = []
        /// For people, of those that were loaded before: what has changed.
        var changed: [String] = []
    }

    init(_ host: Host, isolation: Isolation?, _ lines: ServeLines) {
        (self.host, self.isolation, self.lines) = (host, isolation, lines)
    }

    /// Loads what is found and not loaded, as the settings say.
    func load(_ search: PluginSearch, by settings: PluginSettings) -> Loaded {
        var configuration = HostConfiguration()
        configuration.apply(settings, isolation: isolation)
        host.setPluginPolicy(of: configuration)
        host.forgetMissingPlugins()
        let found = search.plugins.filter { $0.shadowedBy == nil }
        let used = host.plugins.filter { $0.status == .ready }
        var result = Loaded()
        result.changed = used.compactMap { change(of: $0, found, settings) }
        let (ids, places) = (Set(used.map(\.id)), Set(used.map { Self.place($0.directory) }))
        let new = found.filter { plugin in
            !places.contains(Self.place(plugin.directory))
                && plugin.sound.map { !ids.contains($0.id) } ?? true
        }
        let errors = host.load(plugins: new.map(\.directory))
        for (index, plugin) in new.enumerated() {
            guard let error = errors[index] else {
                let id = plugin.sound?.id ?? plugin.directory
                result.ids.append(id)
                loadedBy.withLock { $0[id] = settings.effective(of: id) }
                continue
            }
            // The host ends.
            if error.code == .closing { continue }
            lines.refused(plugin.directory, error.message)
            if let id = plugin.sound?.id, host.isDisabled(id) { continue }
            result.refused.append(
                "\(plugin.directory) is not loaded: \(error.message.parts(at: "\n").first ?? "")")
        }
        return result
    }

    /// What of a loaded plugin is not as it is on the disk or in the settings; nil if all is.
    private func change(
        of plugin: PluginInfo, _ found: [FoundPlugin], _ settings: PluginSettings
    ) -> String? {
        let stays = "stays loaded until the host is started again"
        let place = Self.place(plugin.directory)
        guard let now = found.first(where: { $0.sound?.id == plugin.id }), let manifest = now.sound
        else {
            let isFaulty = found.contains { Self.place($0.directory) == place }
            return isFaulty
                ? "the manifest of \(plugin.id) has faults now: curfew lint \(ShellWord.path(plugin.directory)); it \(stays)"
                : "\(plugin.id) is not found any more; it \(stays)"
        }
        guard manifest.version == plugin.version else {
            return
                "\(plugin.id) is there in version \(manifest.version); version \(plugin.version) \(stays)"
        }
        guard Self.place(now.directory) == place else {
            return
                "\(plugin.id) is found in \(now.directory) now; that of \(plugin.directory) \(stays)"
        }
        if let content = plugin.content,
            let build = try? PluginContent.read(directory: now.directory), build.digest != content
        {
            return
                "another build of \(plugin.id) \(plugin.version) is there; the one before \(stays)"
        }
        let by = loadedBy.withLock { $0[plugin.id] }
        guard let by, by != settings.effective(of: plugin.id) else { return nil }
        return
            "the settings of \(plugin.id) are others than when it was loaded; they count once the host is started again"
    }

    /// The path without links and dots, or unchanged if it does not exist.
    private static func place(_ directory: String) -> String {
        Installation.place(of: directory) ?? directory
    }
}
