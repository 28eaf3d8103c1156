// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
package import PluginBridge

/// The parts of a plugin's sandbox that are in force, and those that the machine cannot enforce.
package struct ChildFeatures: Equatable, Sendable {
    package struct Missing: Equatable, Sendable {
        package let name: String
        /// Why it is not in force.
        package let reason: String
        /// The manifest asks for it by its `needs`.
        package let isNeeds: Bool

        package var text: String { "\(name): \(reason)" }
    }

    package let inForce: [String]
    package let missing: [Missing]

    /// Those of `names` that are not in force, each with the reason.
    func lacking(_ names: [String]) -> [String] {
        names.filter { !inForce.contains($0) }.map { name in
            missing.first { $0.name == name }?.text ?? "\(name): its manifest has no `needs` for it"
        }
    }

    /// Those of `missing` that a manifest's `needs` or a limit of the host ask for.
    ///
    /// - Parameter limits: those that were asked for; 0 where a default holds.
    func missing(of limits: csys_limits) -> [Missing] {
        let limit = String(cString: csys_feature_name(Int32(csys_feature_process_limit.rawValue)))
        return missing.filter { $0.isNeeds || $0.name == limit && limits.processes != 0 }
    }

    /// - Parameter group: of the process, or why it has none.
    init(_ features: csys_features, _ group: Result<ControlGroup, ControlGroups.Refusal>) {
        var inForce: [String] = []
        var missing: [Missing] = []
        let needs = [
            csys_feature_file_rules, csys_feature_port_rules, csys_feature_no_network,
            csys_feature_no_unix_sockets,
        ]
        withUnsafeBytes(of: features.errors) { errors in
            let errors = errors.bindMemory(to: Int32.self)
            for index in 0..<csys_feature_count.rawValue where features.asked & 1 << index != 0 {
                let name = String(cString: csys_feature_name(Int32(index)))
                if features.in_force & 1 << index != 0 {
                    inForce.append(name)
                } else {
                    missing.append(
                        Missing(
                            name: name,
                            reason: index == csys_feature_process_limit.rawValue
                                ? Self.reasonOfProcesses(errors[Int(index)])
                                : Self.reason(errors[Int(index)]),
                            isNeeds: needs.contains { $0.rawValue == index }))
                }
            }
        }
        Self.add(group, &inForce, &missing)
        self.inForce = inForce
        self.missing = missing
    }

    /// Adds what the host knows of a control group: the process itself only knows whether it is in it.
    private static func add(
        _ group: Result<ControlGroup, ControlGroups.Refusal>, _ inForce: inout [String],
        _ missing: inout [Missing]
    ) {
        func name(_ feature: csys_feature) -> String {
            String(cString: csys_feature_name(Int32(feature.rawValue)))
        }
        func lack(_ name: String, _ reason: String) {
            missing.append(Missing(name: name, reason: reason, isNeeds: false))
        }
        switch group {
        case .failure(let refusal): lack(name(csys_feature_control_group), refusal.reason)
        case .success(let group):
            guard inForce.contains(name(csys_feature_control_group)) else { return }
            let reason = "no controller for it is enabled below the host's control group"
            if group.limitsMemory {
                inForce.append("limit of all its memory")
            } else {
                lack("limit of all its memory", reason)
            }
            guard group.limitsProcesses else { return lack("limit of all its processes", reason) }
            inForce.append("limit of all its processes")
            // What does not hold for root in a process does in its group.
            missing.removeAll { $0.name == name(csys_feature_process_limit) }
        }
    }

    /// All of them: "in force: user namespace, …; not in force: …".
    var text: String {
        let lacking = missing.map(\.text).joined(separator: ", ")
        return "in force: \(inForce.joined(separator: ", "))"
            + (missing.isEmpty ? "" : "; not in force: \(lacking)")
    }

    /// Nothing keeps the process from others of the same user: neither a namespace nor both Landlock, for
    /// signals, and the filter of system calls, for limits and priorities.
    var leavesHostOpen: Bool {
        func has(_ feature: csys_feature) -> Bool {
            inForce.contains(String(cString: csys_feature_name(Int32(feature.rawValue))))
        }
        return !has(csys_feature_process_namespace)
            && !(has(csys_feature_signal_scope) && has(csys_feature_system_calls))
    }

    private static func reasonOfProcesses(_ error: Int32) -> String {
        if geteuid() == 0 { return "it does not hold for root" }
        return error == EOPNOTSUPP
            ? "it would count what else this user runs, without a user namespace or a control group"
            : reason(error)
    }

    private static func reason(_ error: Int32) -> String {
        switch error {
        case EOPNOTSUPP, ENOSYS, EINVAL: "this kernel does not have it"
        case EPERM, EACCES: "it is not permitted here"
        default: String(cString: strerror(error))
        }
    }

    /// Starts a process without a plugin, or a program, and returns which parts of its sandbox are in force.
    ///
    /// - Parameters:
    ///   - helper: the configured path of curfew-child.
    ///   - needs: of a manifest; nil for a plugin without.
    ///   - isProgram: the needs are those of a plugin without code, whose handlers run programs.
    ///   - entersLeaf: this process may move into a leaf of its control group.
    /// - Throws: `.system` where no process can be started. Blocks for at most 10 s.
    package static func probe(
        helper: String? = nil, _ needs: ManifestNeeds?, isProgram: Bool = false,
        entersLeaf: Bool = false
    ) throws(BridgeError) -> ChildFeatures {
        let groups = ControlGroups(entersLeaf: entersLeaf)
        let limits = HostConfiguration.ProcessLimits().limits(needs, ownThreads: 0)
        let group = groups.make(isProgram ? limits : csys_plugin_limits(csys_limits()))
        let spawner = Spawner(path: helper)
        defer {
            spawner.stop()
            if case .success(let group) = group { groups.end(group) }
        }
        var control: Int32 = -1
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        try environment.withUnsafeMutableBufferPointer { environment throws(BridgeError) in
            let directory = strdup("/")
            defer { free(directory) }
            guard !isProgram else {
                var command = csys_command()
                // That of curfew-child, which ends at once.
                let path = strdup("/proc/self/exe")
                defer { free(path) }
                command.path = UnsafePointer(path)
                command.directory = UnsafePointer(directory)
                command.arguments = UnsafePointer(environment.baseAddress)
                command.environment = UnsafePointer(environment.baseAddress)
                (command.input, command.payload) = (-1, -1)
                (command.output, command.errors) = (-1, -1)
                command.cgroup = (try? group.get())?.directory.descriptor ?? -1
                command.limits = limits
                command.confinement = Confinement.flags(needs)
                // Otherwise it could not be executed.
                var all = csys_rule(
                    descriptor: csys_open_place(AT_FDCWD, "/", true),
                    rights: UInt32(csys_right_read | csys_right_run))
                defer { csys_close(all.descriptor) }
                return try withUnsafePointer(to: &all) { rule throws(BridgeError) in
                    command.confinement.rules = rule
                    command.confinement.rule_count = needs == nil ? 0 : 1
                    try spawner.start { csys_command_start(&$0, &command, &control) }
                }
            }
            var child = csys_child()
            child.library = -1
            child.manifest = -1
            child.down = -1
            child.up = -1
            child.socket = -1
            child.output = -1
            child.errors = -1
            child.cgroup = (try? group.get())?.directory.descriptor ?? -1
            child.environment = UnsafePointer(environment.baseAddress)
            child.confinement = Confinement.flags(needs)
            child.directory = UnsafePointer(directory)
            try spawner.start { csys_child_start(&$0, &child, &control) }
        }
        defer { csys_close(control) }
        let limit = csys_monotonic_ns() &+ 10_000_000_000
        while csys_monotonic_ns() < limit {
            var report = csys_child_report()
            guard csys_child_report_next(control, &report) else {
                csys_wait_readable(control, limit)
                continue
            }
            switch Int(report.kind) {
            case csys_report_started: return ChildFeatures(report.features, group)
            default:
                throw BridgeError(
                    .system, "a process that tries what confines it could not be started")
            }
        }
        throw BridgeError(
            .system, "a process that tries what confines it has not started within 10 s")
    }
}
