// SPDX-License-Identifier: Apache-2.0
import Glibc
package import PluginBridge
import Scheduling

extension PluginRegistry {
    /// Reads the manifests of the plugins on a search path, without loading code.
    ///
    /// Returns how many were found, including faulty and shadowed ones. A missing directory is no
    /// error; an unreadable one is logged.
    package func discover(
        _ path: PluginSearchPath = .ofProcess()
    ) throws(BridgeError) -> Int {
        try find(in: path.directories).count
    }

    /// Loads the plugins that are found in a directory, or on the search path of the process.
    ///
    /// A plugin that cannot be loaded is listed with its reason and logged; the others are loaded
    /// all the same. Shadowed plugins, and those that are in use, are left alone.
    package func loadAll(
        _ directory: String? = nil
    ) throws(BridgeError) -> (loaded: Int, failed: [PluginRecord]) {
        if let directory, !Self.isPlugin(directory), access(directory, R_OK) != 0 {
            throw unreadable(directory)
        }
        let path = directory.map { [$0] } ?? PluginSearchPath.ofProcess().directories
        let places = Set(try find(in: path))
        let found = plugins.current.filter { record in
            let status = plugins.status(of: record).status
            return (status == .validated || status == .failed) && places.contains(record.directory)
        }
        let errors = load(found.map(\.directory))
        if let error = errors.values.first(where: {
            $0.status == .closing || $0.status == .wrongThread
        }) {
            throw error
        }
        let failed = errors.keys.sorted().map { found[$0] }
        return (found.count - failed.count, failed)
    }

    /// Lists the plugins in some directories, and returns the directory of each.
    private func find(in places: [String]) throws(BridgeError) -> [String] {
        guard threads.role == .other else {
            throw Self.wrongThread("discover")
        }
        guard engine.phase.isOpen, loadGate.enter() else { throw HostPhase.closing }
        defer { loadGate.leave() }
        var unreadable: [String] = []
        let found = discovering.withLock { _ in
            var seen: Set<String> = []
            var found: [String] = []
            for place in places {
                for directory in directories(in: place, &unreadable)
                where seen.insert(Self.realPath(directory)).inserted {
                    list(directory)
                    found.append(directory)
                }
            }
            return found
        }
        for remark in unreadable { log(.warning, nil, 0, remark) }
        return found
    }

    /// Returns the plugins in a directory, or the directory itself if it is a plugin.
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

    private func list(_ directory: String) {
        let place = Self.realPath(directory)
        let listed = plugins.current.map { (record: $0, status: plugins.status(of: $0).status) }
        let isInUse = listed.contains {
            ($0.status == .ready || $0.status == .retired)
                && Self.realPath($0.record.directory) == place
        }
        // A loaded plugin keeps its record.
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
                requests.discovered(manifest)
                return
            }
            plugins.add(
                directory, manifest, .shadowed,
                "the plugin \"\(manifest.id)\" in \(first.record.directory) comes first; remove one of the two, or load this one by its directory"
            )
        }
    }

    /// Returns the resolved path (realpath(3)), or the path itself if it does not exist.
    private static func realPath(_ directory: String) -> String {
        guard let place = realpath(directory, nil) else { return directory }
        defer { free(place) }
        return String(validatingCString: place) ?? directory
    }
}
