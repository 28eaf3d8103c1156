// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge

/// The plugins that a host of `curfew serve` finds, against those that it has loaded.
struct ServedPlugins {
    private let found: [FoundPlugin]
    private let host: Host
    private let lines: ServeLines

    /// The plugins that are loaded between two calls that say so: as many as a host loads at a time.
    private static let group = 8

    init(_ search: PluginSearch, _ host: Host, _ lines: ServeLines) {
        found = search.plugins.filter { $0.shadowedBy == nil }
        (self.host, self.lines) = (host, lines)
    }

    /// Loads those that are not loaded. Returns their ids, and for people why others are not.
    ///
    /// - Parameter isAlive: called between two groups of plugins, of which each may take ten seconds.
    func loadNew(isAlive: () -> Void = {}) -> (loaded: [String], notes: [String]) {
        let used = Set(host.plugins.filter { $0.status == .ready }.map(\.id))
        let new = found.filter { plugin in plugin.sound.map { !used.contains($0.id) } ?? true }
        var (loaded, notes): ([String], [String]) = ([], [])
        for start in stride(from: 0, to: new.count, by: Self.group) {
            if start > 0 { isAlive() }
            let group = new[start..<min(start + Self.group, new.count)]
            let errors = host.load(plugins: group.map(\.directory))
            for (index, plugin) in group.enumerated() {
                guard let error = errors[index] else {
                    loaded.append(plugin.sound?.id ?? plugin.directory)
                    continue
                }
                lines.refused(plugin.directory, error.message)
                if let id = plugin.sound?.id, host.isDisabled(id) { continue }
                notes.append(
                    "\(plugin.directory) is not loaded: \(error.message.parts(at: "\n").first ?? "")"
                )
            }
        }
        return (loaded, notes)
    }

    /// What of the loaded plugins is not as it is on the disk, for people.
    var changed: [String] {
        host.plugins.filter { $0.status == .ready }.compactMap { plugin in
            guard let now = found.first(where: { $0.sound?.id == plugin.id })?.sound else {
                return
                    "\(plugin.id) is not found any more; it stays loaded until the host is started again"
            }
            guard now.version != plugin.version else { return nil }
            return
                "\(plugin.id) is there in version \(now.version); version \(plugin.version) stays loaded until the host is started again"
        }
    }
}
