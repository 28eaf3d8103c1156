// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The processes of a plugin that is started again and gets tasks, each killed at each of its system
/// calls: at a few with every change, at all with `make torture`.
@Suite("A process is killed at a system call", .serialized, .timeLimit(.minutes(60)))
struct KilledProcessTests {
    private static let one = "org.curfew.test.process.one"
    private static let many = "org.curfew.test.process.many"
    private static let isTorture =
        ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == "1"

    /// The process that is killed, and the number of calls between two that are tried.
    enum Victim: Int, CaseIterable {
        case spawner, supervisor, child

        var step: Int {
            if KilledProcessTests.isTorture { return 1 }
            return switch self {
            case .spawner: 3
            case .supervisor: 9
            case .child: 61
            }
        }
    }

    private func host(_ isolation: Isolation) throws -> TestHost {
        let host = try TestHost(clock: nil, ownLoop: false, observing: false) { configuration in
            configuration.isolation = isolation
            configuration.childLimits.firstPause = 1
            configuration.childLimits.longestPause = 1
            configuration.childLimits.ends = .max
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        return host
    }

    /// The process that starts those of the host's plugins: the parent of the parent of one of them.
    private func spawner(of host: TestHost) throws -> Int32 {
        let child = try #require(host.runtime.plugins.isolated.first?.process?.id)
        func parent(_ id: Int32) throws -> Int32 {
            let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") } ?? ""
            return try #require(Int32(line.filter(\.isNumber)))
        }
        return try parent(parent(child))
    }

    private func lines(_ path: String) -> Int {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    /// Ends a process, so that the next one has a supervisor which is followed, and waits for that.
    private func makeSpare(_ host: TestHost, _ spawner: Int32, _ killer: CallKiller) throws {
        // The one before is not followed, and would stay if it is not ready when the next process starts.
        try host.waitUntil("no spare") {
            for spare in spares(of: spawner) { kill(spare, SIGKILL) }
            return killer.killedAt != nil || spares(of: spawner).isEmpty
        }
        let crash = try host.launch(Self.one, payload: Array("crash".utf8))
        #expect(host.wait(crash) == .ok)
        try host.waitUntil("a spare") {
            killer.killedAt != nil || !spares(of: spawner).isEmpty
        }
    }

    /// Kills the supervisor that waits; another one comes with the next process.
    private func removeSpare(_ host: TestHost, _ spawner: Int32) throws {
        try host.waitUntil("a spare") { !spares(of: spawner).isEmpty }
        for spare in spares(of: spawner) { kill(spare, SIGKILL) }
        try host.waitUntil("no spare") { spares(of: spawner).isEmpty }
    }

    private func spares(of spawner: Int32) -> Set<Int32> {
        let path = "/proc/\(spawner)/task/\(spawner)/children"
        let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return Set(
            children.split(separator: " ").compactMap { Int32($0) }.filter { process in
                (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))
                    == "curfew-spare\n"
            })
    }

    /// Returns whether the process has so many calls.
    private func check(
        _ victim: Victim, call: Int, _ isolation: Isolation, usesSpare: Bool
    ) throws -> Bool {
        let host = try host(isolation)
        let directory = try TemporaryDirectory()
        let notes = directory.path("notes")
        let spawner = try spawner(of: host)
        // It is not followed, and would get what is to be killed.
        if !usesSpare { try removeSpare(host, spawner) }
        let killer = try CallKiller(attachTo: spawner, depth: victim.rawValue, call: call)
        defer { killer.stop() }
        let shown = "\(victim), call \(call), \(isolation.name), spare: \(usesSpare)"
        // The process before is not followed; from here on all are.
        if usesSpare { try makeSpare(host, spawner, killer) }
        let crash = try host.launch(Self.one, payload: Array("crash".utf8))
        #expect(host.wait(crash) == .ok, "\(shown)")
        let noting = try (0..<4).map { _ in
            try host.launch(Self.one, payload: Array("note \(notes)".utf8))
        }
        let later = try (0..<2).map { _ in
            try host.launch(Self.many, payload: Array("later".utf8))
        }
        var ends: [UInt64: Outcome?] = [:]
        for task in noting + later {
            #expect(host.wait(task) == .ok, "\(shown)")
            ends[task] = try host.query(task).outcome
        }
        let crashed = ends.values.count { $0 == .crashed }
        // One handler runs one task at a time, the other has both, and each process may be killed once.
        #expect(crashed <= 3, "\(shown): \(ends)")
        #expect(ends.values.allSatisfy { $0 == .crashed || $0 == .succeeded }, "\(shown): \(ends)")
        let noted = noting.count { ends[$0] == .succeeded }
        #expect((noted...noting.count).contains(lines(notes)), "\(shown): \(ends)")
        let last = try host.launch(Self.one)
        #expect(host.wait(last) == .ok, "\(shown)")
        if killer.killedAt == nil {
            #expect(crashed == 0, "\(shown): \(ends)")
            #expect(try host.query(last).outcome == .succeeded, "\(shown)")
        } else {
            // It may have been killed with the last task, and end while this one is handed over.
            var outcomes: [Outcome?] = []
            for _ in 0..<2 {
                let next = try host.launch(Self.one)
                #expect(host.wait(next) == .ok, "\(shown)")
                outcomes.append(try host.query(next).outcome)
            }
            #expect(
                outcomes == [.succeeded, .succeeded] || outcomes == [.crashed, .succeeded],
                "\(shown): \(outcomes)")
        }
        #expect(host.destroy() == .ok, "\(shown)")
        return killer.killedAt != nil
    }

    @Test(
        "queued tasks run in the next process, and each task ends once",
        arguments: Victim.allCases, [Isolation.process, .fresh])
    func killed(victim: Victim, isolation: Isolation) throws {
        try killed(victim, isolation, usesSpare: false)
        // What is started ahead is the same in both.
        if isolation == .process { try killed(victim, isolation, usesSpare: true) }
    }

    private func killed(_ victim: Victim, _ isolation: Isolation, usesSpare: Bool) throws {
        var (call, last, misses) = (1, 0, 0)
        // How many calls there are differs from run to run.
        while misses < 2 {
            if try check(victim, call: call, isolation, usesSpare: usesSpare) {
                (last, misses) = (call, 0)
            } else {
                misses += 1
            }
            call += victim.step
        }
        #expect(last > victim.step)
        print(
            "endurance: \(victim) killed at its calls 1 to \(last), isolation \(isolation.name), spare: \(usesSpare)"
        )
    }
}
