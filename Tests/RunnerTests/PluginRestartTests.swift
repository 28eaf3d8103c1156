// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

@Suite("A plugin whose process ends again and again", .timeLimit(.minutes(60)))
struct PluginRestartTests {
    private static let one = "org.curfew.test.process.one"
    private static let isTorture =
        ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == "1"
    private static let rounds = isTorture ? 10_000 : 60

    /// What a host may have more of with each process that it has had.
    private struct Usage: CustomStringConvertible {
        let descriptors: Int
        let threads: Int
        let mappings: Int
        let residentKiB: Int

        init() throws {
            func count(_ directory: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory).count
            }
            descriptors = try count("/proc/self/fd")
            threads = try count("/proc/self/task")
            mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
                .split(separator: "\n").count
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
            residentKiB = Int(line.filter(\.isNumber)) ?? 0
        }

        var description: String {
            "\(descriptors) descriptors, \(threads) threads, \(mappings) mappings, \(residentKiB) KiB"
        }
    }

    private func run(_ what: String, in host: TestHost) throws -> Outcome? {
        let task = try host.launch(Self.one, payload: Array(what.utf8))
        guard host.wait(task) == .ok else { throw TestFault(text: "a wait has failed") }
        let outcome = try host.query(task).outcome
        // The memory of kept tasks would be measured as well.
        guard host.release(task) == .ok else { throw TestFault(text: "a release has failed") }
        return outcome
    }

    @Test(
        "has other addresses each time if curfew-child is executed anew", arguments: [false, true])
    func addresses(_ executes: Bool) throws {
        let host = try TestHost.restarting { $0.executesProcesses = executes }
        var seen: Set<Substring> = []
        var spawners: Set<Int32> = []
        for _ in 0..<4 {
            #expect(try run("", in: host) == .succeeded)
            let record = try #require(host.runtime.plugins.plugins.all.first)
            let process = try #require(record.code?.process?.id)
            let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
            let line = maps.split(separator: "\n").first { $0.hasSuffix("/curfew-child") }
            seen.insert(try #require(line).prefix { $0 != "-" })
            spawners.insert(try parent(of: parent(of: process)))
            #expect(try run("crash", in: host) == .crashed)
        }
        #expect(executes ? seen.count > 1 : seen.count == 1, "\(seen)")
        #expect(spawners.count == (executes ? 4 : 1))
        // Each has ended with its process, but for the one of the process that runs now.
        guard executes else { return }
        try host.waitUntil("ended") {
            spawners.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0)") }
        }
    }

    private func parent(of process: Int32) throws -> Int32 {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return try #require(line.flatMap { Int32($0.filter(\.isNumber)) })
    }

    /// Other tests of the process come and go meanwhile, so that a single look says little.
    @Test("costs its host nothing more with each")
    func flat() throws {
        let host = try TestHost.restarting()
        // No expectations in here: their library remembers each.
        func round() throws {
            let outcomes = try (run("", in: host), run("crash", in: host))
            guard outcomes == (.succeeded, .crashed) else { throw TestFault(text: "\(outcomes)") }
        }
        for _ in 0..<20 { try round() }
        let before = try Usage()
        for _ in 0..<Self.rounds { try round() }
        let after = try Usage()
        print("endurance: \(Self.rounds) ends of processes: \(before); then \(after)")
        #expect(try host.handler(Self.one).ended(.crashed) == UInt64(Self.rounds + 20))
        #expect(try host.handler(Self.one).ended(.succeeded) == UInt64(Self.rounds + 20))
        // Beside other tests only what grows by one each time is seen.
        guard Self.isTorture else { return }
        #expect(after.descriptors <= before.descriptors + 20)
        #expect(after.threads <= before.threads + 20)
        #expect(after.mappings <= before.mappings + 60)
        #expect(after.residentKiB <= before.residentKiB + 8_192)
    }
}
