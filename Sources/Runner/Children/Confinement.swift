// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// The rules and limits of one process: the `needs` of its plugin's manifest, with their files opened.
final class Confinement {
    /// Makes one for each process, because the paths may lead to other files by then.
    typealias Maker = @Sendable () throws(BridgeError) -> Confinement

    private var rules: [csys_rule] = []
    private let needs: ManifestNeeds?
    /// Variables that it gets besides the usual ones.
    private(set) var variables: [String: String] = [:]
    /// Paths of the manifest that cannot be opened.
    private(set) var missing: [String] = []

    /// - Parameters:
    ///   - needs: the `needs` of the manifest, or those that the host sets; nil: no confinement.
    ///   - most: the limits that the host sets.
    ///   - directory: the plugin's own, which it can always read.
    ///   - libraries: directories of libraries that it needs, which it can always read.
    ///   - environment: the host's.
    init(
        _ manifest: Manifest, _ needs: ManifestNeeds?, _ most: HostConfiguration.ProcessLimits,
        directory: String, libraries: [String], environment: [String: String]
    ) throws(BridgeError) {
        self.needs = needs
        let workers = manifest.handlers.reduce(UInt64(0)) { $0 + UInt64($1.maxConcurrency) }
        // Curfew's own threads in the process are added to its limit.
        limits = most.limits(needs, ownThreads: workers + 8)
        var pluginLimits = csys_plugin_limits(limits)
        if limits.processes == 0 { pluginLimits.processes += workers + 8 }
        self.pluginLimits = pluginLimits
        guard let needs else { return }
        let places = PluginPlaces(manifest.id, directory: directory, environment: environment)
        for name in needs.environment { variables[name] = environment[name] }
        do throws(BridgeError) {
            for path in [directory] + libraries { add(path, csys_right_read, follows: true) }
            for (paths, right) in [
                (needs.read, csys_right_read), (needs.write, csys_right_write | csys_right_read),
                (needs.run, csys_right_run),
            ] {
                for path in paths { try add(path, right, places) }
            }
        } catch {
            closeAll()
            throw error
        }
    }

    deinit { closeAll() }

    private func closeAll() {
        for rule in rules { close(rule.descriptor) }
        rules = []
    }

    private func add(_ path: String, _ right: Int, _ places: PluginPlaces) throws(BridgeError) {
        guard let (place, rest) = ManifestNeeds.place(of: path), place != .plugin else {
            let whole = try places.whole(path)
            return add(whole, right, follows: try !isBelowWritten(whole, places))
        }
        let base = try places.path(of: place)
        let file = try places.make(base)
        variables[Self.variable(of: place)] = base
        guard !rest.allSatisfy({ $0 == "/" }) else {
            rules.append(csys_rule(descriptor: file, rights: UInt32(right)))
            return
        }
        defer { close(file) }
        let below = String(rest.drop { $0 == "/" })
        let opened = csys_open_place(file, below, false)
        guard opened >= 0 else { return missing.append(path) }
        rules.append(csys_rule(descriptor: opened, rights: UInt32(right)))
    }

    /// Returns whether the plugin may have made what is at a path: a symbolic link there could lead out.
    private func isBelowWritten(_ path: String, _ places: PluginPlaces) throws(BridgeError) -> Bool
    {
        let parts = path.parts(at: "/")
        for written in needs?.write ?? [] {
            let above = try places.whole(written).parts(at: "/")
            if parts.count > above.count, parts.starts(with: above) { return true }
        }
        return false
    }

    private func add(_ path: String, _ right: Int, follows: Bool) {
        let file = csys_open_place(AT_FDCWD, path, follows)
        guard file >= 0 else { return missing.append(path) }
        rules.append(csys_rule(descriptor: file, rights: UInt32(right)))
    }

    /// The variable that tells a process where its directory is, as in systemd.exec(5).
    private static func variable(of place: ManifestNeeds.Place) -> String {
        switch place {
        case .state: "STATE_DIRECTORY"
        case .cache: "CACHE_DIRECTORY"
        case .temporary: "TMPDIR"
        case .plugin: preconditionFailure("the plugin's directory has no variable")
        }
    }

    /// The limits of a program; 0 where there is none.
    let limits: csys_limits
    /// The limits of a process with a plugin's code, which has some by default.
    let pluginLimits: csys_limits

    /// Returns which parts are confined, without the rules.
    static func flags(_ needs: ManifestNeeds?) -> csys_confinement {
        var confinement = csys_confinement()
        guard let needs else { return confinement }
        confinement.confines_files = true
        confinement.network =
            switch needs.network {
            case .none: UInt32(csys_network_none)
            case .all: UInt32(csys_network_open)
            case .ports: UInt32(csys_network_ports)
            }
        return confinement
    }

    /// Calls `body` with the confinement, which is valid during the call.
    func withConfinement<Result, Failure: Error>(
        _ body: (csys_confinement) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ports: [UInt16] = []
        if case .ports(let list)? = needs?.network { ports = list }
        var confinement = Self.flags(needs)
        return try rules.withUnsafeBufferPointer { rules throws(Failure) in
            try ports.withUnsafeBufferPointer { ports throws(Failure) in
                confinement.rules = rules.baseAddress
                confinement.rule_count = UInt32(rules.count)
                confinement.ports = ports.baseAddress
                confinement.port_count = UInt32(ports.count)
                return try body(confinement)
            }
        }
    }
}
