// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport
import Testing

/// How children end: by themselves, by orders, and with those that watch them.
@Suite("The end of children")
struct EndingTests {
    private static let namespaces =
        UInt32(1) << csys_feature_user_namespace.rawValue
        | 1 << csys_feature_process_namespace.rawValue
        | 1 << csys_feature_mount_namespace.rawValue

    /// A plugin in namespaces, one without, a program, and a plugin whose supervisor was there before.
    static let kinds: [ChildTrial.Options] = {
        var plain = ChildTrial.Options()
        plain.masked = namespaces
        var program = ChildTrial.Options()
        program.isProgram = true
        var late = ChildTrial.Options()
        late.usesSpare = true
        return [ChildTrial.Options(), plain, program, late]
    }()

    @Test("an exit status and a signal are reported", arguments: 0..<4)
    func reported(_ kind: Int) throws {
        let trial = try ChildTrial()
        let options = Self.kinds[kind]
        for (questions, value) in [
            (["exit", "0"], 0), (["exit", "7"], 7), (["abort"], -SIGABRT), (["fault"], -SIGSEGV),
        ] {
            let end = try trial.run(questions, options)
            #expect(end.report.kind == UInt32(csys_report_ended))
            #expect(end.report.value == value, "\(questions)")
            #expect(end.report.survivors == 0)
            #expect(end.report.memory_bytes > 0)
        }
    }

    /// Starts the probe with three daemons that left its session.
    private func stubborn(
        _ trial: ChildTrial, _ options: ChildTrial.Options
    ) throws -> ChildTrial.Child {
        let child = try trial.startSupervised(["stay", "3"], options)
        #expect(
            try trial.lines(child.output, 4).sorted() == ["daemon", "daemon", "daemon", "stays"])
        return child
    }

    /// Whether every process of a child has ended by then: none has its output open any more.
    private func isGone(_ child: ChildTrial.Child, _ limit: UInt64 = 2 * .second) -> Bool {
        csys_wait_readable(child.output, csys_monotonic_ns() + limit)
        var wait = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) == 1 && wait.revents & Int16(POLLHUP) != 0
    }

    @Test("SIGTERM reaches a child, and the order to kill ends all of it", arguments: 0..<4)
    func orders(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        csys_child_order(child.control, Int32(csys_order_terminate))
        #expect(!isGone(child, 50_000_000))
        csys_child_order(child.control, Int32(csys_order_kill))
        let end = try trial.finish(child)
        #expect(end.report.kind == UInt32(csys_report_ended))
        #expect(end.report.value == -SIGKILL)
    }

    @Test("a child whose control is closed ends", arguments: 0..<4)
    func closed(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        csys_close(child.control)
        #expect(isGone(child))
        csys_close(child.output)
    }

    @Test("a supervisor that is killed takes everything along", arguments: 0..<4)
    func supervisorKilled(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        kill(child.supervisor, SIGKILL)
        #expect(isGone(child))
        let end = try trial.finish(child)
        #expect(end.report.kind == UInt32(csys_report_lost))
    }

    @Test("a stopped supervisor goes on", arguments: 0..<4)
    func supervisorStopped(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        kill(child.supervisor, SIGSTOP)
        csys_child_order(child.control, Int32(csys_order_kill))
        #expect(try trial.finish(child).report.value == -SIGKILL)
    }

    @Test("a spawner that is killed takes everything along", arguments: 0..<4)
    func spawnerKilled(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        kill(try trial.spawnerProcess(), SIGKILL)
        #expect(isGone(child))
        // A child that was ordered while the spawner was still dying is lost with it.
        do {
            let end = try trial.run(["facts"])
            #expect(end.started == nil && end.report.kind == UInt32(csys_report_lost))
        } catch {
            #expect(error is TestFault)
        }
        csys_close(child.control)
        csys_close(child.output)
    }

    @Test("a spawner that ends leaves nothing", arguments: 0..<4)
    func spawnerStopped(_ kind: Int) throws {
        let trial = try ChildTrial()
        let child = try stubborn(trial, Self.kinds[kind])
        #expect(csys_spawner_stop(&trial.spawner, csys_monotonic_ns() + 5 * .second))
        #expect(isGone(child, 0))
        csys_close(child.control)
        csys_close(child.output)
    }

    @Test("a thousand children leave no descriptor and no process")
    func flat() throws {
        let trial = try ChildTrial()
        _ = try trial.run(["exit", "0"])
        let before = ProcessFacts.now.descriptors
        let spawnerBefore = try spawnerDescriptors(trial)
        for number in 0..<300 {
            #expect(try trial.run(["exit", "0"], Self.kinds[number % 4]).report.value == 0)
        }
        #expect(ProcessFacts.now.descriptors == before)
        #expect(try spawnerDescriptors(trial) == spawnerBefore)
    }

    /// Those of the spawner with a spare, which has two.
    private func spawnerDescriptors(_ trial: ChildTrial) throws -> Int {
        _ = try trial.waitForSpare()
        return try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(trial.spawnerProcess())/fd"
        ).count
    }

    // MARK: The spare

    @Test("a spare that is killed or stopped keeps no plugin from its start")
    func spareHit() throws {
        let trial = try ChildTrial()
        for signal in [SIGKILL, SIGSTOP, SIGTERM] {
            for _ in 0..<20 {
                #expect(try trial.run(["exit", "7"]).report.value == 7)
                let spare = try trial.waitForSpare()
                let process = csys_process_descriptor(spare)
                kill(spare, signal)
                // An order to one that is about to die is lost with it, as one that it has begun is.
                if signal == SIGKILL { csys_wait_readable(process, .max) }
                csys_close(process)
            }
        }
    }

    @Test("a plugin in the spare has all that another has", arguments: [0, 1, 2])
    func spareFeatures(_ network: UInt32) throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.network = network
        options.rules = [("/", csys_right_read | csys_right_run)]
        let first = try trial.run(["facts"], options)
        options.usesSpare = true
        let second = try trial.run(["facts"], options)
        #expect(second.features.asked == first.features.asked)
        #expect(second.features.in_force == first.features.in_force)
        // But for how much memory the probe has touched, and how often it was interrupted.
        let differing = second.answers.filter {
            first.answers[$0.key] != $0.value && !$0.value.hasSuffix(" kB")
                && !$0.key.hasSuffix("_switches")
        }
        #expect(differing == [:])
        #expect(second.answers.count == first.answers.count)
    }

    @Test("a spare ends with its spawner", arguments: [true, false])
    func spareEnds(_ isKilled: Bool) throws {
        let trial = try ChildTrial()
        _ = try trial.run(["exit", "0"])
        let spare = csys_process_descriptor(try trial.waitForSpare())
        defer { csys_close(spare) }
        if isKilled {
            kill(try trial.spawnerProcess(), SIGKILL)
        } else {
            #expect(csys_spawner_stop(&trial.spawner, csys_monotonic_ns() + 5 * .second))
        }
        csys_wait_readable(spare, csys_monotonic_ns() + 2 * .second)
        var wait = pollfd(fd: spare, events: Int16(POLLIN), revents: 0)
        #expect(poll(&wait, 1, 0) == 1)
    }

    // MARK: The host

    @Test("a host that is killed leaves nothing")
    func hostKilled() throws {
        let rounds = ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == "1" ? 500 : 20
        var longest: UInt64 = 0
        for _ in 0..<rounds {
            let (host, output) = try startHost()
            var lines: [String] = []
            while lines.count < 15 { lines += try Self.lines(output, 1) }
            let spawner = try #require(try ChildTrial.children(of: host).first)
            // Three, and perhaps the one that waits.
            let supervisors = try ChildTrial.children(of: spawner)
            #expect(supervisors.count >= 3)
            let watched = (supervisors + [spawner]).map { csys_process_descriptor($0) }
            let start = csys_monotonic_ns()
            kill(host, SIGKILL)
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            #expect(poll(&wait, 1, 2_000) == 1 && wait.revents & Int16(POLLHUP) != 0)
            for process in watched {
                csys_wait_readable(process, start + 2 * .second)
                var end = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
                #expect(poll(&end, 1, 0) == 1)
                csys_close(process)
            }
            longest = max(longest, csys_monotonic_ns() - start)
            waitpid(host, nil, 0)
            close(output)
        }
        print("a killed host left nothing after at most \(longest / 1_000) us, \(rounds) rounds")
    }

    private func startHost() throws -> (process: Int32, output: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(csys_pipe(&ends))
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let words = [
            try CompiledPrograms.host.get(), BuiltProducts.path(ofProduct: "curfew-child"),
            try CompiledPrograms.probe.get(), String(Self.namespaces),
        ]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, words[0], &actions, nil, arguments, environ) == 0)
        return (process, ends[0])
    }

    private static func lines(_ descriptor: Int32, _ count: Int) throws -> [String] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count(where: { $0 == 10 }) < count {
            guard read(descriptor, &byte, 1) == 1 else { throw TestFault(text: "the pipe's end") }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
