// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

@Suite("The process of a plugin that has nothing to do")
struct IdleProcessTests {
    private static let one = "org.curfew.test.process.one"
    private static let many = "org.curfew.test.process.many"

    private func host(idle limit: UInt64) throws -> TestHost {
        try TestHost.restarting { $0.processIdleLimit = limit }
    }

    private func processes(of host: TestHost) throws -> ChildCounts {
        let record = try #require(host.runtime.plugins.plugins.all.first)
        return try #require(record.code as? ChildCode).counts
    }

    private func running(in host: TestHost) throws -> Int {
        let record = try #require(host.runtime.plugins.plugins.all.first)
        return try #require(record.code as? ChildCode).running
    }

    /// Returns how many tasks the process has had.
    private func runs(in host: TestHost, _ handler: String = one) throws -> String {
        let task = try host.launch(handler, payload: Array("runs".utf8))
        guard host.wait(task) == .ok, try host.query(task).outcome == .succeeded else {
            throw TestFault(text: "the task has outcome \(try host.query(task))")
        }
        defer { _ = host.release(task) }
        return String(decoding: try #require(host.result(task)), as: UTF8.self)
    }

    @Test("is ended, and the next task starts another one")
    func ended() throws {
        let host = try host(idle: 1_000_000)
        for _ in 0..<3 {
            #expect(try runs(in: host) == "1")
            try host.waitUntil("ended") { try running(in: host) == 0 }
        }
        let counts = try processes(of: host)
        #expect(counts.started == 4 - 1 && counts.crashed == 0 && counts.killed == 0, "\(counts)")
    }

    @Test("goes on without a limit, and while a task of it is pending")
    func goesOn() throws {
        let host = try TestHost.restarting()
        #expect(try runs(in: host) == "1")
        let other = try self.host(idle: 1_000_000)
        let pending = try other.launch(Self.one, payload: Array("pending".utf8))
        try other.waitUntilPending(pending)
        let end = ContinuousClock.now + .milliseconds(50)
        try other.waitUntil("looked at often") { ContinuousClock.now > end }
        #expect(try running(in: other) == 1)
        #expect(try runs(in: other, Self.many) == "2")
        #expect(try runs(in: host) == "2")
    }

    @Test("no task is lost when it is ended just as one is launched")
    func races() throws {
        let host = try host(idle: 1)
        for round in 0..<200 {
            for _ in 0..<(round % 50) * 20 { sched_yield() }
            _ = try runs(in: host, round % 3 == 0 ? Self.many : Self.one)
        }
        #expect(try processes(of: host).started > 1)
        #expect(try host.handler(Self.one).ended(.crashed) == 0)
    }
}
