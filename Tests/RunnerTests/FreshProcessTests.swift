// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The plugin `process` does what its payload says; "runs" tells how many tasks its process has begun.
@Suite("A process for each task")
struct FreshProcessTests {
    private static let one = "org.curfew.test.process.one"
    private static let many = "org.curfew.test.process.many"

    private func host(
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> TestHost {
        let host = try TestHost(clock: nil, ownLoop: false) { configuration in
            configuration.isolation = .fresh
            configure(&configuration)
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        return host
    }

    private func launch(
        _ what: String, in host: TestHost, _ handler: String = one, budget: UInt64 = 0
    ) throws -> UInt64 {
        try host.launch(handler, payload: Array(what.utf8), budget: budget)
    }

    private func outcome(of task: UInt64, in host: TestHost) throws -> Outcome? {
        #expect(host.wait(task) == .ok)
        return try host.query(task).outcome
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("no process runs two tasks, one after the other or at a time")
    func alone() throws {
        let host = try host()
        for _ in 0..<10 {
            let task = try launch("runs", in: host)
            #expect(try outcome(of: task, in: host) == .succeeded)
            #expect(host.result(task) == Array("1".utf8))
        }
        let tasks = try (0..<40).map { _ in try launch("runs", in: host, Self.many) }
        for task in tasks {
            #expect(try outcome(of: task, in: host) == .succeeded)
            #expect(host.result(task) == Array("1".utf8))
        }
        #expect(host.log.value == [])
    }

    @Test("as many run at a time as the handler has places, and the others wait")
    func places() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let gates = (0..<5).map { directory.path("gate\($0)") }
        let tasks = try gates.map { try launch("wait \($0)", in: host, Self.many) }
        try host.waitUntil("four run") { gates.count { exists($0 + ".begun") } == 4 }
        // Another handler has places of its own.
        #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
        #expect(gates.count { exists($0 + ".begun") } == 4)
        for gate in gates { try Data().write(to: URL(fileURLWithPath: gate)) }
        for task in tasks { #expect(try outcome(of: task, in: host) == .succeeded) }
    }

    @Test("a crash ends one task, and no other one that runs")
    func crashing() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let gate = directory.path("gate")
        let other = try launch("wait \(gate)", in: host, Self.many)
        let pending = try launch("pending", in: host, Self.many)
        try host.waitUntil("begun") { exists(gate + ".begun") }
        try host.waitUntilPending(pending)
        let culprit = try launch("crash", in: host, Self.many)
        #expect(try outcome(of: culprit, in: host) == .crashed)
        #expect(
            host.errorText(culprit) == "its process ended by SIGSEGV at 0x8 in its function")
        #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
        #expect(host.stop(pending) == .ok)
        #expect(try outcome(of: pending, in: host) == .expired)
        #expect(try host.query(pending).isAnswered)
        try Data().write(to: URL(fileURLWithPath: gate))
        #expect(try outcome(of: other, in: host) == .succeeded)
    }

    @Test("a function that never returns is killed with its process, and nothing else")
    func hanging() throws {
        let host = try host { $0.killAfter = 50_000_000 }
        let task = try launch("hang", in: host, budget: 100_000_000)
        #expect(try outcome(of: task, in: host) == .expired)
        #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
        try host.waitUntil("killed") {
            host.log.value.contains { $0.contains("the function of \(Self.one) had not returned") }
        }
    }

    @Test("three crashes in a row are a quarantine, successes between them are not")
    func quarantine() throws {
        let host = try host()
        for _ in 0..<4 {
            #expect(try outcome(of: launch("crash", in: host), in: host) == .crashed)
            #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
            try host.waitUntil("retired") { host.runtime.plugins.isolated.first?.running ?? 9 < 2 }
        }
        let handler = try host.handler(Self.one)
        #expect(!handler.isQuarantined)
        for _ in 0..<3 {
            #expect(try outcome(of: launch("crash", in: host), in: host) == .crashed)
        }
        try host.waitUntil("quarantined") { handler.isQuarantined }
        #expect(host.tryLaunch(Self.one).status == .quarantined)
        #expect(host.release(handler: Self.one) == .ok)
        #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
    }

    @Test("each process is retired after its task, and a crash there ends nothing else")
    func retiring() throws {
        let host = try host()
        #expect(try outcome(of: launch("retires-badly", in: host), in: host) == .succeeded)
        try host.waitUntil("logged") {
            host.log.value == ["its process ended by SIGSEGV at 0x8 in its retire function"]
        }
        #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
        #expect(host.destroy() == .ok)
    }

    @Test("the end of a host says nothing of the processes that it ends", arguments: 0..<10)
    func quietEnd(round: Int) throws {
        let host = try host()
        let task = try launch("", in: host)
        #expect(try outcome(of: task, in: host) == .succeeded)
        #expect(host.destroy() == .ok)
        #expect(host.log.value == [])
    }

    @Test("a machine that cannot confine plugins is warned of once, not for each process")
    func warning() throws {
        let host = try host()
        for _ in 0..<3 {
            #expect(try outcome(of: launch("", in: host), in: host) == .succeeded)
        }
        let missing = try #require(host.runtime.plugins.isolated.first?.process).notInForce
        func lacks(_ part: String) -> Bool { missing.contains { $0.hasPrefix(part) } }
        let isOpen =
            lacks("pid namespace") && (lacks("signal scope") || lacks("system call filter"))
        #expect(host.warningsOfMachine.value.count == (isOpen ? 1 : 0), "\(missing)")
        #expect(host.log.value == [])
    }

    @Test("the end of a host waits for the last call into a process")
    func lastCall() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let gate = directory.path("gate")
        let task = try launch("retires-after \(gate)", in: host)
        #expect(try outcome(of: task, in: host) == .succeeded)
        try host.waitUntil("retiring") { exists(gate + ".begun") }
        let destruction = Side { host.destroy() }
        try host.waitUntil("ending") {
            host.runtime.plugins.isolated.allSatisfy { !$0.wantsRetirement }
        }
        try Data().write(to: URL(fileURLWithPath: gate))
        #expect(destruction.join() == .ok)
        #expect(exists(gate + ".ended"))
        #expect(host.log.value == [])
    }

    @Test("a host is destroyed while tasks run, hang and wait")
    func destroying() throws {
        let host = try host()
        for what in ["hang", "pending", "until", "hang", "", ""] {
            _ = try launch(what, in: host, Self.many)
        }
        #expect(host.destroy(expire: .millisecond) == .ok)
    }

    @Test("a plugin whose handlers are subs is refused, since subs share what they know")
    func subs() throws {
        let host = try TestHost(clock: nil) { $0.isolation = .fresh }
        let error = #expect(throws: BridgeError.self) {
            try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("subs"))
        }
        #expect(error?.message.contains("give the plugin") == true, "\(error?.message ?? "")")
    }
}
