// SPDX-License-Identifier: Apache-2.0
import Glibc
package import PluginBridge
import Scheduling

extension PluginRegistry {
    /// Reads the manifests of the plugins in the directories of a path, the usual one by default,
    /// without loading code. Returns how many there are, faulty and shadowed ones included.
    ///
    /// A directory that is missing is no error, and one that cannot be read is told in the log.
    package func discover(
        _ path: PluginSearchPath = .ofProcess()
    ) throws(BridgeError) -> Int {
        guard threads.role == .other else {
            throw Self.wrongThread("discover")
        }
        guard engine.phase.isOpen, loadGate.enter() else { throw HostPhase.closing }
        defer { loadGate.leave() }
        var unreadable: [String] = []
        let found = discovering.withLock { _ in
            var seen: Set<String> = []
            for place in path.directories {
                for directory in directories(in: place, &unreadable)
                where seen.insert(Self.realPath(directory)).inserted {
                    list(directory)
                }
            }
            return seen.count
        }
        for remark in unreadable { log(.warning, nil, 0, remark) }
        return found
    }

    /// The plugins below a directory of the path, or the one it is.
    private func directories(in place: String, _ unreadable: inout [String]) -> [String] {
        if Self.isPlugin(place) { return [place] }
        guard let names = names(in: place) else {
            let reason = errno
            if reason != ENOENT, reason != ENOTDIR {
                unreadable.append(
                    "the directory \(place) cannot be read: \(String(cString: strerror(reason))); its plugins are not found"
                )
            }
            return []
        }
        return names.map { place.appending(component: $0) }.filter(Self.isPlugin)
    }

    /// Adds a plugin to the list, or looks at it again.
    private func list(_ directory: String) {
        let place = Self.realPath(directory)
        let listed = plugins.all.map { (record: $0, status: plugins.status(of: $0).status) }
        let isInUse = listed.contains {
            ($0.status == .ready || $0.status == .retired)
                && Self.realPath($0.record.directory) == place
        }
        // What is loaded stays as it was read then.
        if isInUse { return }
        switch Manifest.read(directory: directory) {
        case .failure(let faults): plugins.add(directory, nil, .failed, faults.rendered)
        case .success(let manifest):
            let first = listed.first {
                $0.record.id == manifest.id && ($0.status == .validated || $0.status == .ready)
                    && Self.realPath($0.record.directory) != place
            }
            guard let first else {
                plugins.add(directory, manifest, .validated, "")
                return
            }
            plugins.add(
                directory, manifest, .shadowed,
                "the plugin \"\(manifest.id)\" in \(first.record.directory) comes first; remove one of the two, or load this one by its directory"
            )
        }
    }

    /// The path without links and dots, or as it is where there is nothing.
    private static func realPath(_ directory: String) -> String {
        guard let place = realpath(directory, nil) else { return directory }
        defer { free(place) }
        return String(validatingCString: place) ?? directory
    }
}
