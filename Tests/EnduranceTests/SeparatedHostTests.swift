// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence

/// Hosts whose way to the server of their store fails, or that are stopped for longer than their lease. It takes real
/// seconds: the shortest lease is one of three.
@Suite(
    "Hosts of one store that are separated from it", .timeLimit(.minutes(60)),
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct SeparatedHostTests {
    private static let parameters = "&curfew.lease=3"
    private static var rounds: Int { Torture.isWanted ? 20 : 2 }

    /// A host that may be separated from its store, and another one that takes over from it.
    private struct Pair {
        let trial: StoreTrial
        let first: RunningHarness
        let second: RunningHarness

        /// - Parameter proxy: is between the first host and the server.
        init(_ server: PostgresServer, through proxy: CutProxy? = nil) throws {
            let schema = try PostgresAddress(server.url()).schema
            trial = try StoreTrial(at: server.url(schema: schema, parameters))
            first = try trial.start("serve", at: proxy?.url(schema: schema, parameters))
            try first.wait(for: "ready")
            second = try trial.start("serve")
            try second.wait(for: "ready")
        }

        /// Has a task run in the first host that ends when it is told to.
        func keep(_ key: String) throws {
            try second.perform("pause")
            first.order("submit kept \(key)")
            _ = try first.record(of: "keeps", about: key)
            try second.perform("resume")
        }

        /// Ends the task, which the second host has now, and sees that the first one works again.
        func goOn(_ key: String) throws {
            second.order("cancel \(try first.record(of: "ack", about: key)[1]) \(key)")
            _ = try second.record(of: "told", about: key)
            for number in 0... {
                let next = "\(key).\(number)"
                first.order("submit quick \(next)")
                // It is refused until the host has entered its store again.
                let answer = try first.wait(for: ["ack", "refused"]) { $0[0] == next }
                if answer.kind == "ack" { break }
            }
        }

        func end() throws {
            for host in [first, second] {
                host.order("stop")
                #expect(trial.finish(host) == .exited(0))
            }
            let faults = try trial.faults()
            #expect(faults.count == 0, "\(faults.count): \(faults.prefix(20))")
        }
    }

    @Test("a host that does not reach the server stops its tasks before another one launches them")
    func silent() throws {
        let server = try PostgresServer.shared
        let proxy = try CutProxy(to: server)
        let pair = try Pair(server, through: proxy)
        var gaps: [UInt64] = []
        for round in 0..<Self.rounds {
            let key = "kept\(round)"
            try pair.keep(key)
            proxy.setSilent(true)
            let told = try pair.first.record(of: "told", about: key)
            #expect(told[2] == "lease")
            let launched = try pair.second.record(of: "keeps", about: key)
            let (before, after) = (try #require(UInt64(told[1])), try #require(UInt64(launched[1])))
            #expect(before <= after, "round \(round)")
            gaps.append(after - min(before, after))
            proxy.setSilent(false)
            try pair.goOn(key)
        }
        try pair.end()
        Torture.tell(
            "\(gaps.count) partitions of a host: another one launched its task \(gaps.min()! / 1_000_000) to \(gaps.max()! / 1_000_000) ms after it was told to stop"
        )
    }

    @Test("what a stopped host says of a task that another one has launched counts for nothing")
    func stopped() throws {
        let pair = try Pair(PostgresServer.shared)
        for round in 0..<Self.rounds {
            let key = "kept\(round)"
            try pair.keep(key)
            pair.first.signal(SIGSTOP)
            _ = try pair.second.record(of: "keeps", about: key)
            pair.first.signal(SIGCONT)
            // It ends the task, which is another host's by now.
            _ = try pair.first.record(of: "told", about: key)
            try pair.goOn(key)
        }
        try pair.end()
    }

    @Test("nothing is lost or doubled when the server ends at any moment and starts again")
    func restarted() throws {
        var chance = SystemRandomNumberGenerator()
        let server = try PostgresServer(syncs: true)
        let trial = try StoreTrial(at: server.url(Self.parameters))
        let hosts = try ["a", "b"].map {
            try trial.start("run", ["--name", $0, "--count", "100000"])
        }
        let rounds = Torture.isWanted ? 100 : 4
        for round in 0..<rounds {
            // Both work again after the one before.
            for host in hosts {
                host.skip()
                try host.wait(for: "ack")
                try host.wait(for: "done")
            }
            for host in hosts {
                host.follow(
                    until: .now + .microseconds(Int.random(in: 0...80_000, using: &chance)))
            }
            let restart = try ChildProcess.run("env", server.control + ["restart"])
            #expect(restart.succeeded, "round \(round): \(restart)")
        }
        for host in hosts {
            try host.wait(for: "done")
            host.signal(SIGKILL)
            #expect(trial.finish(host) == .signalled(SIGKILL))
        }
        let faults = try trial.faults()
        #expect(faults.count == 0, "\(faults.count): \(faults.prefix(20))")
        Torture.tell(
            "\(rounds) restarts of the server of two hosts: \(trial.records.count { $0.kind == "ack" }) acknowledged, \(try StoreContents(of: trial.store).counts)"
        )
    }
}
