// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

/// The lease of a host whose server stops answering. It takes real seconds: the shortest lease is one of three.
@Suite(
    "The lease of a host", .serialized,
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresLeaseTests {
    private static let lease: UInt64 = 3_000_000_000

    /// A host that keeps its lease, and what it was told.
    private final class Keeper: Sendable {
        struct News: Sendable {
            let what: HostLeaseNews
            let at: ContinuousClock.Instant
        }

        let lease: PostgresLease
        let host: HostRecord
        let news = Guarded<[News]>([])
        private let hasEnded = Guarded(false)

        init(_ url: String, process: Int32) throws {
            let address = try PostgresAddress(url)
            var host = HostRecord(
                identity: HostIdentity(boot: "boot", process: process, start: 1), machine: "m",
                since: 0, lease: PostgresLeaseTests.lease)
            let store = try PostgresStore.open(address, creates: true)
            host.id = try store.write { [host] store throws(StoreFault) in try store.enter(host) }
            let lease = PostgresLease(address)
            (self.host, self.lease) = (host, lease)
            lease.begin(host)
            Thread.detachNewThread { [news, hasEnded] in
                lease.keep { what in news.change { $0.append(News(what: what, at: .now)) } }
                hasEnded.value = true
            }
        }

        deinit { lease.end() }

        /// Ends it, and returns whether its thread has ended.
        func end() -> Bool {
            lease.end()
            return hasEnded.wait(until: \.self)
        }

        /// Waits for news, and returns when they came.
        func first(_ isWanted: @escaping (HostLeaseNews) -> Bool) -> ContinuousClock.Instant? {
            _ = news.wait(within: 15) { $0.contains { isWanted($0.what) } }
            return news.value.first { isWanted($0.what) }?.at
        }
    }

    private static func isLapsed(_ news: HostLeaseNews) -> Bool {
        if case .lapsed = news { true } else { false }
    }

    private static func isRenewed(_ news: HostLeaseNews) -> Bool {
        if case .renewed = news { true } else { false }
    }

    @Test("a host whose server does not answer says so before another one may take it for dead")
    func lapsed() throws {
        let server = try PostgresServer.shared
        let proxy = try CutProxy(to: server)
        let schema = try PostgresAddress(server.url()).schema
        let parameters = "&curfew.lease=3"
        let watcher = try Keeper(server.url(schema: schema, parameters), process: 1)
        let host = try Keeper(proxy.url(schema: schema, parameters), process: 2)
        let store = try PostgresStore.open(
            PostgresAddress(server.url(schema: schema)), creates: false)
        func beat() throws -> Int64? {
            try store.read { store throws(StoreFault) in
                try store.hosts().first { $0.id == host.host.id }?.beat
            }
        }
        // It has beaten, and so has the watcher, which watches it from then on.
        let before = try #require(try beat())
        var unseen = ContinuousClock.now
        while true {
            let asked = ContinuousClock.now
            guard try beat() == before else { break }
            unseen = asked
            usleep(10_000)
        }
        proxy.setSilent(true)
        // No beat comes after this one.
        let answered = ContinuousClock.now
        let lapsed = try #require(host.first(Self.isLapsed))
        #expect(answered.duration(to: lapsed) < .nanoseconds(Self.lease))
        let dead = try #require(
            watcher.first { news in
                if case .dead(let record) = news { record.id == host.host.id } else { false }
            })
        #expect(lapsed < dead)
        #expect(unseen.duration(to: dead) >= .nanoseconds(Self.lease))
        #expect(!host.news.value.contains { Self.isRenewed($0.what) })
        proxy.setSilent(false)
        let renewed = try #require(host.first(Self.isRenewed))
        #expect(renewed > lapsed)
        // Nobody has taken it over yet, and it is watched again.
        #expect(try beat() != nil)
        #expect(!watcher.news.value.contains { Self.isLapsed($0.what) })
        #expect(host.end() && watcher.end())
    }

    @Test("a host that was ended in the store is told so, though no transaction has ended it")
    func lost() throws {
        let server = try PostgresServer.shared
        let schema = try PostgresAddress(server.url()).schema
        let host = try Keeper(server.url(schema: schema, "&curfew.lease=3"), process: 3)
        try server.run("UPDATE \(schema).host SET ended_at = 1 WHERE id = \(host.host.id)")
        _ = try #require(host.first { if case .lost = $0 { true } else { false } })
        // The server has answered, so that this would be wrong.
        #expect(!host.news.value.contains { Self.isLapsed($0.what) })
        #expect(host.end())
    }

    @Test("a host whose beats the server does not take is told so once its lease has lapsed")
    func refused() throws {
        let server = try PostgresServer.shared
        let schema = try PostgresAddress(server.url()).schema
        let host = try Keeper(server.url(schema: schema, "&curfew.lease=3"), process: 3)
        try server.run("ALTER TABLE \(schema).host DROP COLUMN knows")
        let refused = try #require(
            host.first { if case .refused = $0 { true } else { false } })
        let lapsed = try #require(host.first(Self.isLapsed))
        #expect(lapsed < refused)
        #expect(host.end())
    }
}
