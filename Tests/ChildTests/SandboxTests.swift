// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport
import Testing

/// What a plugin's process is given, what it cannot do, and that each part can be missing.
@Suite("The sandbox of a plugin")
struct SandboxTests {
    private static let all = (0..<csys_feature_count.rawValue).map { csys_feature($0) }
    /// Namespaces that contain a process.
    private static let namespaces =
        1 << csys_feature_user_namespace.rawValue | 1 << csys_feature_process_namespace.rawValue
        | 1 << csys_feature_mount_namespace.rawValue
        | 1 << csys_feature_ipc_namespace.rawValue

    @Test("descriptors, variables, directory, session and signals are exactly the promised ones")
    func given() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.environment = ["GIVEN=one", "OTHER=two"]
        options.directory = "/usr"
        let few = try trial.run(["facts"], options)
        #expect(few.report.kind == UInt32(csys_report_ended) && few.report.value == 0)
        #expect(few.answers["descriptors"] == "0 1 2 ")
        #expect(
            few.output.split(separator: "\n").filter { $0.hasPrefix("variable") }
                == ["variable GIVEN=one=1", "variable OTHER=two=1"])
        #expect(few.answers["directory"] == "/usr")
        #expect(few.answers["session"] == "1")
        #expect(few.answers["death"] == "9")
        #expect(few.answers["dumpable"] == "1")
        #expect(few.answers["oom"] == "500")
        for name in ["SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff", "CapAmb"] {
            #expect(few.answers["status \(name)"] == "0000000000000000", "\(name)")
        }
        if few.isInForce(csys_feature_bounding_set) {
            #expect(few.answers["status CapBnd"] == "0000000000000000")
        }
        #expect(few.answers["status NoNewPrivs"] == "1")
        if few.isInForce(csys_feature_process_namespace) { #expect(few.answers["pid"] == "2") }
        #expect(few.process > 2)

        options.hasDescriptors = true
        let many = try trial.run(["facts"], options)
        #expect(many.answers["descriptors"] == "0 1 2 64 65 66 67 68 ")
    }

    @Test("a feature is in force, or has the reason why not")
    func features() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.rules = []
        options.network = UInt32(csys_network_ports)
        options.ports = [443]
        let end = try trial.run(["facts"], options)
        let unasked: Set<UInt32> = [
            csys_feature_control_group.rawValue, csys_feature_no_network.rawValue,
        ]
        for feature in Self.all {
            let isAsked = end.features.asked & 1 << feature.rawValue != 0
            #expect(isAsked == !unasked.contains(feature.rawValue), "\(feature)")
            if isAsked { #expect(end.isInForce(feature) == (end.error(feature) == 0)) }
            #expect(csys_feature_name(Int32(feature.rawValue)) != nil)
        }
        // What every kernel has on which hosts run.
        for feature in [
            csys_feature_death_signal, csys_feature_memory_limit, csys_feature_descriptor_limit,
            csys_feature_no_capabilities, csys_feature_no_new_privileges,
        ] { #expect(end.isInForce(feature), "\(feature)") }
    }

    @Test("a plugin cannot make or enter namespaces, trace, mount, or clear its death signal")
    func calls() throws {
        let trial = try ChildTrial()
        let end = try trial.run(["calls", "sockets"])
        try #require(end.isInForce(csys_feature_system_calls))
        for name in [
            "unshare", "mount", "clone", "death signal", "rings", "keys", "bpf", "terminal",
        ] { #expect(end.answers[name] == "EPERM", "\(name)") }
        #expect(end.answers["clone3"] == "ENOSYS")
        for name in [
            "other prctl", "own limit", "kill self", "raise", "kill group", "unix", "tcp", "udp",
        ] { #expect(end.answers[name] == "ok", "\(name)") }
    }

    /// With each that keeps them in, alone: the namespace, Landlock's scope, the filter.
    @Test("a plugin reaches no process outside", arguments: [0, 1, 2])
    func others(_ left: Int) throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        if left > 0 { options.masked = UInt32(Self.namespaces) }
        if left > 1 { options.masked |= 1 << csys_feature_signal_scope.rawValue }
        let host = String(getpid())
        let end = try trial.run(
            ["kill", host, "prlimit", host, "setpriority", host, "ptrace", host, "calls"], options)
        try #require(end.isInForce(csys_feature_system_calls))
        for name in ["kill", "prlimit", "setpriority", "ptrace"] {
            let answer = end.answers["\(name) \(host)"]
            #expect(answer == "EPERM" || answer == "ESRCH", "\(name): \(answer ?? "none")")
        }
        for name in ["own limit", "kill self", "raise", "kill group"] {
            #expect(end.answers[name] == "ok", "\(name)")
        }
        if left == 2 { #expect(end.answers["kill all"] == "EPERM") }
    }

    @Test("with a /proc of its own a plugin does not see the host")
    func ownProc() throws {
        let trial = try ChildTrial()
        let host = String(getpid())
        let end = try trial.run(["environ", host])
        guard end.isInForce(csys_feature_own_proc) else { return }
        #expect(end.answers["environ \(host)"] == "ENOENT")
    }

    // MARK: Files and network

    @Test("of confined files a plugin reaches those that it was given")
    func files() throws {
        let trial = try ChildTrial()
        let directory = try TemporaryDirectory()
        try directory.write("text", to: "read/file")
        try directory.write("text", to: "write/file")
        try directory.write("text", to: "other/file")
        let questions =
            ["read", "write", "other"].flatMap {
                ["read", directory.path("\($0)/file"), "write", directory.path("\($0)/file")]
            } + [
                "write", directory.path("write/new"), "read", "/usr/bin/true", "read", "/dev/zero",
                "write", "/dev/zero", "read", "/etc/shadow", "read", "/proc/self/status", "run",
                "/usr/bin/true",
            ]
        func answers(_ rules: [(String, Int)]?) throws -> [String: String] {
            var options = ChildTrial.Options()
            options.rules = rules
            return try trial.run(questions, options).answers
        }
        var answers = try answers([
            (directory.path("read"), csys_right_read),
            (directory.path("write"), csys_right_read | csys_right_write),
        ])
        #expect(answers["read \(directory.path("read/file"))"] == "ok")
        #expect(answers["write \(directory.path("read/file"))"] == "EACCES")
        #expect(answers["read \(directory.path("write/file"))"] == "ok")
        #expect(answers["write \(directory.path("write/file"))"] == "ok")
        #expect(answers["write \(directory.path("write/new"))"] == "ok")
        #expect(answers["read \(directory.path("other/file"))"] == "EACCES")
        #expect(answers["write \(directory.path("other/file"))"] == "EACCES")
        #expect(answers["read /etc/shadow"] == "EACCES")
        for path in ["/usr/bin/true", "/dev/zero", "/proc/self/status"] {
            #expect(answers["read \(path)"] == "ok", "\(path)")
        }
        #expect(answers["write /dev/zero"] == "ok")
        #expect(answers["run"] == "EACCES")
        answers = try self.answers(of: trial, questions, [("/usr/bin/true", csys_right_run)])
        #expect(answers["run"] == "ok")
        answers = try self.answers(of: trial, questions, nil)
        #expect(answers["write \(directory.path("other/file"))"] == "ok")
        #expect(answers["run"] == "ok")
    }

    private func answers(
        of trial: ChildTrial, _ questions: [String], _ rules: [(path: String, rights: Int)]?
    ) throws -> [String: String] {
        var options = ChildTrial.Options()
        options.rules = rules
        return try trial.run(questions, options).answers
    }

    @Test("as many rules as there may be, and not one more")
    func ruleLimit() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.rules = Array(repeating: ("/usr", csys_right_read), count: Int(csys_rules_max))
        #expect(try trial.run(["facts"], options).report.value == 0)
        options.rules?.append(("/usr", csys_right_read))
        #expect(throws: TestFault.self) { try trial.run(["facts"], options) }
        // The spawner goes on.
        #expect(try trial.run(["facts"]).report.value == 0)
    }

    @Test("a plugin without network has no sockets but pairs")
    func noNetwork() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.network = UInt32(csys_network_none)
        let end = try trial.run(["sockets"], options)
        #expect(end.isInForce(csys_feature_no_network))
        for name in ["unix", "unix packets", "tcp", "udp", "netlink", "several paths"] {
            #expect(end.answers[name] == "EPERM", "\(name)")
        }
        #expect(end.answers["pair"] == "ok")
    }

    @Test("a plugin that has rules speaks to no other program of its user")
    func otherPrograms() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        let open = try trial.run(["sockets", "ipc"], options)
        for name in ["unix", "pair", "pair of datagrams", "shared memory", "queue", "semaphores"] {
            #expect(open.answers[name] == "ok", "\(name)")
        }
        // What it has made is gone with it.
        for _ in 0..<2 where open.isInForce(csys_feature_ipc_namespace) {
            #expect(try trial.run(["leave memory"], options).answers["left memory"] == "ok")
        }
        options.rules = [("/usr", csys_right_read)]
        let end = try trial.run(["sockets", "ipc"], options)
        guard end.isInForce(csys_feature_no_unix_sockets) else {
            #expect(end.error(csys_feature_no_unix_sockets) != 0)
            return
        }
        for name in [
            "unix", "unix packets", "pair of datagrams", "pair of raw", "shared memory", "queue",
            "semaphores",
        ] { #expect(end.answers[name] == "EPERM", "\(name)") }
        for name in ["pair", "tcp", "udp"] { #expect(end.answers[name] == "ok", "\(name)") }
    }

    @Test("a plugin with ports connects to those")
    func ports() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.network = UInt32(csys_network_ports)
        options.ports = [1]
        let end = try trial.run(["connect", "1", "connect", "2", "sockets"], options)
        guard end.isInForce(csys_feature_port_rules) else { return }
        #expect(end.answers["connect 1"] == "ECONNREFUSED")
        #expect(end.answers["connect 2"] == "EACCES")
        for name in ["pair", "tcp", "udp", "netlink"] {
            #expect(end.answers[name] == "ok", "\(name)")
        }
        #expect(end.answers["unix"] == "EPERM")
        #expect(end.answers["several paths"] == "EPERM")
    }

    // MARK: Without

    @Test("a child starts without each of the features, and without all")
    func masked() throws {
        let trial = try ChildTrial()
        let maskable: [csys_feature] = [
            csys_feature_user_namespace, csys_feature_process_namespace,
            csys_feature_mount_namespace, csys_feature_ipc_namespace, csys_feature_own_proc,
            csys_feature_death_signal,
            csys_feature_memory_limit, csys_feature_descriptor_limit, csys_feature_process_limit,
            csys_feature_file_limit, csys_feature_no_capabilities, csys_feature_bounding_set,
            csys_feature_file_rules, csys_feature_port_rules, csys_feature_signal_scope,
            csys_feature_socket_scope, csys_feature_system_calls,
        ]
        var options = ChildTrial.Options()
        options.rules = [("/", csys_right_read)]
        options.network = UInt32(csys_network_ports)
        for feature in maskable {
            options.masked = 1 << feature.rawValue
            let end = try trial.run(["facts"], options)
            #expect(end.report.kind == UInt32(csys_report_ended), "\(feature)")
            #expect(end.report.value == 0, "\(feature)")
            #expect(!end.isInForce(feature), "\(feature)")
            #expect(end.error(feature) == ECANCELED, "\(feature)")
        }
        options.masked = .max
        let end = try trial.run(["facts"], options)
        #expect(end.report.kind == UInt32(csys_report_ended) && end.report.value == 0)
    }

    @Test("without descriptors for a plugin its child ends, and says so")
    func nothing() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.directory = "/no such directory"
        let end = try trial.run(["facts"], options)
        #expect(end.report.kind == UInt32(csys_report_failed))
        #expect(end.report.failure == UInt32(csys_failure_directory))
        #expect(end.report.value == ENOENT)
    }
}
