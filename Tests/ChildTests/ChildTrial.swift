// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport
import Testing

/// A spawner of its own, with children that run the probe.
final class ChildTrial {
    /// What a child was started with, besides the questions for the probe.
    struct Options {
        var isProgram = false
        var environment: [String] = ["GIVEN=by the test"]
        var directory = "/"
        var limits = csys_limits()
        var masked: UInt32 = 0
        var network: UInt32 = 0
        var ports: [UInt16] = []
        /// Paths with their rights; nil: the files are not confined.
        var rules: [(path: String, rights: Int)]?
        /// Whether all descriptors of a plugin are given.
        var hasDescriptors = false
        /// Whether it gets the supervisor that waits for it, which there is after the first plugin.
        var usesSpare = false
    }

    /// A child that was started.
    struct Child {
        let control: Int32
        let output: Int32
        /// Its process, if it was asked for, and the report that told it.
        var supervisor: Int32 = 0
        var started: csys_child_report?
    }

    struct End {
        var started: csys_child_report?
        var features: csys_features { started?.features ?? csys_features() }
        var process: Int32 { started?.value ?? 0 }
        var report = csys_child_report()
        var output = ""
        /// The answers of the probe, by their names.
        var answers: [String: String] {
            Dictionary(
                output.split(separator: "\n").compactMap { line in
                    line.firstIndex(of: "=").map { split in
                        (String(line[..<split]), String(line[line.index(after: split)...]))
                    }
                }, uniquingKeysWith: { $1 })
        }

        func isInForce(_ feature: csys_feature) -> Bool {
            features.in_force & 1 << feature.rawValue != 0
        }

        func error(_ feature: csys_feature) -> Int32 {
            withUnsafeBytes(of: features.errors) {
                $0.assumingMemoryBound(to: Int32.self)[Int(feature.rawValue)]
            }
        }
    }

    var spawner = csys_spawner()

    init() throws {
        let helper = open(BuiltProducts.path(ofProduct: "curfew-child"), O_RDONLY | O_CLOEXEC)
        defer { close(helper) }
        try #require(csys_spawner_start(&spawner, helper) == 0)
        var greeting = csys_greeting()
        try #require(
            csys_spawner_greeted(&spawner, csys_monotonic_ns() + 20 * .second, &greeting) == 0)
    }

    deinit { _ = csys_spawner_stop(&spawner, csys_monotonic_ns() + 10 * .second) }

    func start(_ questions: [String], _ options: Options = Options()) throws -> Child {
        if options.usesSpare { return try startWithSpare(questions, options) }
        var ends: [Int32] = [-1, -1]
        try #require(csys_pipe(&ends))
        defer { close(ends[1]) }
        let words = [try CompiledPrograms.probe.get()] + questions
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            options.environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let rules = (options.rules ?? []).map {
            csys_rule(descriptor: csys_open_component(AT_FDCWD, $0.path), rights: UInt32($0.rights))
        }
        defer { for rule in rules { close(rule.descriptor) } }
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        var control: Int32 = -1
        let error = options.directory.withCString { directory in
            rules.withUnsafeBufferPointer { rules in
                options.ports.withUnsafeBufferPointer { ports in
                    arguments.withUnsafeBufferPointer { arguments in
                        variables.withUnsafeBufferPointer { variables in
                            var confinement = csys_confinement()
                            confinement.confines_files = options.rules != nil
                            confinement.network = options.network
                            confinement.rules = rules.baseAddress
                            confinement.rule_count = UInt32(rules.count)
                            confinement.ports = ports.baseAddress
                            confinement.port_count = UInt32(ports.count)
                            confinement.masked = options.masked
                            if options.isProgram {
                                var command = csys_command(
                                    path: arguments[0], directory: directory,
                                    arguments: arguments.baseAddress,
                                    environment: variables.baseAddress, input: -1, payload: -1,
                                    output: ends[1], errors: ends[1], cgroup: -1,
                                    limits: options.limits,
                                    confinement: confinement)
                                return csys_command_start(&spawner, &command, &control)
                            }
                            let some = options.hasDescriptors ? null : -1
                            var child = csys_child(
                                library: some, manifest: some, down: some, up: some, socket: some,
                                output: ends[1], errors: ends[1], cgroup: -1, directory: directory,
                                environment: variables.baseAddress, program: arguments.baseAddress,
                                limits: options.limits, confinement: confinement)
                            return csys_child_start(&spawner, &child, &control)
                        }
                    }
                }
            }
        }
        guard error == 0 else {
            close(ends[0])
            throw TestFault(text: "not started: \(String(cString: strerror(error)))")
        }
        return Child(control: control, output: ends[0])
    }

    /// Starts a child, and finds its supervisor.
    func startSupervised(_ questions: [String], _ options: Options) throws -> Child {
        if options.usesSpare { return try startWithSpare(questions, options) }
        var child = try start(questions, options)
        let report = try report(child.control)
        try #require(report.kind == UInt32(csys_report_started))
        child.started = report
        child.supervisor = try Self.parent(of: report.value)
        return child
    }

    /// Starts children until one has the supervisor that was there before. That may not be ready yet.
    private func startWithSpare(_ questions: [String], _ options: Options) throws -> Child {
        var options = options
        options.usesSpare = false
        _ = try run(["exit", "0"], options)
        for _ in 0..<1_000 {
            let spare = try waitForSpare()
            let waiting = try Self.children(of: spare).first
            var child = try start(questions, options)
            let report = try report(child.control)
            try #require(report.kind == UInt32(csys_report_started))
            child.started = report
            child.supervisor = spare
            if report.value == waiting { return child }
            csys_close(child.control)
            csys_close(child.output)
        }
        throw TestFault(text: "no child has got the spare")
    }

    /// Waits, 20 s at most, until the supervisor of the next plugin is there, with its child.
    func waitForSpare() throws -> Int32 {
        let limit = csys_monotonic_ns() + 20 * .second
        while csys_monotonic_ns() < limit {
            if let spare = try spare(), try !Self.children(of: spare).isEmpty { return spare }
            usleep(500)
        }
        throw TestFault(text: "there is no spare")
    }

    /// The process of the spawner.
    func spawnerProcess() throws -> Int32 {
        let text = try String(
            contentsOfFile: "/proc/self/fdinfo/\(spawner.process)", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
        return try #require(
            line.flatMap { Int32($0.dropFirst(4).trimmingCharacters(in: .whitespaces)) })
    }

    /// The supervisor that waits for an order, if there is one.
    func spare() throws -> Int32? { try Self.spare(of: spawnerProcess()) }

    static func spare(of spawner: Int32) throws -> Int32? {
        try children(of: spawner).first { process in
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))
                == "curfew-spare\n"
        }
    }

    private static func parent(of process: Int32) throws -> Int32 {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return try #require(
            line.flatMap { Int32($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) })
    }

    static func children(of process: Int32) throws -> [Int32] {
        try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            .split(separator: " ").compactMap { Int32($0) }
    }

    /// Receives the next report of a child, within 20 s.
    func report(_ control: Int32) throws -> csys_child_report {
        var report = csys_child_report()
        let limit = csys_monotonic_ns() + 20 * .second
        while !csys_child_report_next(control, &report) {
            guard csys_monotonic_ns() < limit else { throw TestFault(text: "no report") }
            csys_wait_readable(control, limit)
        }
        return report
    }

    /// Receives the reports of a child until it has ended, and closes all.
    func finish(_ child: Child) throws -> End {
        var end = End(started: child.started)
        defer {
            csys_close(child.control)
            csys_close(child.output)
        }
        while true {
            let report = try report(child.control)
            switch Int(report.kind) {
            case csys_report_started: end.started = report
            default:
                end.report = report
                end.output = text(child.output)
                return end
            }
        }
    }

    func run(_ questions: [String], _ options: Options = Options()) throws -> End {
        try finish(start(questions, options))
    }

    /// Reads a pipe to its end.
    private func text(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until so many lines have come.
    func lines(_ descriptor: Int32, _ count: Int) throws -> [String] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count(where: { $0 == 10 }) < count {
            guard read(descriptor, &byte, 1) == 1 else { throw TestFault(text: "the pipe's end") }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
