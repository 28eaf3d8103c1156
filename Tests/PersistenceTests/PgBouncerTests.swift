// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

/// A store behind a pooler, which gives each transaction another session.
@Suite(
    "A store behind PgBouncer", .serialized,
    .enabled(
        if: PostgresServer.programs != nil && PgBouncer.program != nil,
        "PostgreSQL or PgBouncer is not installed"))
struct PgBouncerTests {
    private static let tidy = "org.example.tidy"
    private static let pooled = "&curfew.pooled=1"

    private let server: PostgresServer
    private let pooler: PgBouncer
    private let schema: String

    init() throws {
        server = try .shared
        pooler = try .shared
        schema = try PostgresAddress(server.url()).schema
    }

    /// A host that runs one task at a time.
    private final class Host {
        let store: PostgresStore
        private(set) var book: RequestBook
        private let now = Moment(wall: 1_000_000_000_000, span: 1_000_000_000_000)

        init(_ url: String, process: Int32) throws {
            store = try PostgresStore.open(PostgresAddress(url), creates: true)
            book = RequestBook(host: HostIdentity(boot: "boot", process: process, start: 1))
            book.setHost(
                HostRecord(
                    identity: book.host.identity, machine: "m", since: 0, lease: 30_000_000_000))
            book.setState(HandlerState(places: 1), of: tidy)
            try store.write { store throws(StoreFault) in
                _ = try book.open(at: now, store, isGone: { _ in false })
            }
        }

        func submit(_ key: String) throws -> Submission {
            let outlook = book.outlook(submitting: 1, ending: [], at: now)
            return try store.write(expecting: outlook) { store throws(StoreFault) in
                try book.submit(
                    RequestDescription(tidy, key: key), payload: [7], at: now, store)
            }.get()
        }

        func launch() throws -> [RequestID] {
            book.othersWrote()
            let outlook = book.outlook(submitting: 0, ending: [], at: now)
            let effects = try store.write(expecting: outlook) { store throws(StoreFault) in
                try book.decide(at: now, store)
            }
            return effects.compactMap { effect in
                guard case .launch(let request, _, [7], _) = effect else { return nil }
                return request.id
            }
        }

        func end(_ id: RequestID) throws -> RequestState? {
            try store.write(expecting: book.outlook(submitting: 0, ending: [id], at: now)) {
                store throws(StoreFault) in
                try book.ended(
                    id, launch: 1, AttemptEnd(.succeeded), answered: true, at: now, store)
            }?.state
        }

        func leave() throws {
            try store.write { store throws(StoreFault) in
                try book.ledger.leave(book.host, at: now, store)
            }
        }
    }

    private static func journal(_ store: PostgresStore) throws -> [JournalEntry] {
        try store.read { store throws(StoreFault) in
            try store.journal(after: 0, of: nil, limit: 10_000)
        }
    }

    @Test("two hosts share a store, one transaction of each after the other")
    func hosts() throws {
        let url = pooler.url(schema: schema, Self.pooled)
        let (a, b) = (try Host(url, process: 1), try Host(url, process: 2))
        #expect(try a.store.read { store throws(StoreFault) in try store.hosts().count } == 2)
        for number in 0..<10 {
            let submission = try a.submit("k\(number)")
            #expect(try b.submit("k\(number)") == .duplicateKey(submission.id))
            let (runner, other) = number % 2 == 0 ? (a, b) : (b, a)
            #expect(try runner.launch() == [submission.id])
            #expect(try other.launch().isEmpty)
            #expect(try runner.end(submission.id) == .finished)
        }
        #expect(try a.store.dataVersion() != 0)
        try a.store.wakeHosts()
        try a.leave()
        #expect(try b.store.read { store throws(StoreFault) in try store.hosts().count } == 1)
        try b.leave()
        let journal = try Self.journal(b.store)
        #expect(journal.map(\.sequence) == Array(1...UInt64(journal.count)))
        for what in [JournalEntry.What.submitted, .launched, .ended] {
            #expect(journal.count { $0.what == what } == 10)
        }
        // Nothing is left in the sessions that others get, too.
        let other = try PostgresConnection.open(PostgresAddress(url))
        for _ in 0..<8 {
            let path = try other.send(text: "SHOW search_path")
            let mode = try other.send(text: "SHOW plan_cache_mode")
            try other.sync()
            #expect(path[0].text(0) == "\"$user\", public" && mode[0].text(0) == "auto")
        }
    }

    @Test("stores in two schemas are kept apart, whichever session their transactions get")
    func schemas() async throws {
        let second = try PostgresAddress(server.url()).schema
        let urls = [schema, second].map { pooler.url(schema: $0, Self.pooled) }
        for url in urls { _ = try PostgresStore.open(PostgresAddress(url), creates: true) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, url) in (urls + urls + urls).enumerated() {
                group.addTask {
                    let store = try PostgresStore.open(PostgresAddress(url), creates: false)
                    for _ in 0..<20 {
                        try store.write { store throws(StoreFault) in
                            _ = try RequestLedger().submit(
                                RequestDescription("org.example.a\(number % 2)"), payload: [],
                                at: 1, store)
                        }
                        _ = try Self.journal(store)
                    }
                }
            }
            try await group.waitForAll()
        }
        for (number, url) in urls.enumerated() {
            let store = try PostgresStore.open(PostgresAddress(url), creates: false)
            let requests = try store.read { store throws(StoreFault) in
                try store.requests(RequestFilter())
            }
            #expect(requests.count == 60)
            #expect(requests.allSatisfy { $0.description.identifier == "org.example.a\(number)" })
            let journal = try Self.journal(store)
            #expect(journal.map(\.sequence) == Array(1...60))
        }
    }

    @Test("a lease is kept, and its host is told what others want of it")
    func lease() throws {
        let address = try PostgresAddress(
            pooler.url(schema: schema, Self.pooled + "&curfew.lease=3"))
        let store = try PostgresStore.open(address, creates: true)
        var host = HostRecord(
            identity: HostIdentity(boot: "boot", process: 1, start: 1), machine: "m", since: 0,
            lease: 3_000_000_000)
        host.id = try store.write { [host] store throws(StoreFault) in try store.enter(host) }
        let lease = PostgresLease(address)
        let (isDrained, hasLapsed, hasEnded) = (Guarded(false), Guarded(false), Guarded(false))
        lease.begin(host)
        Thread.detachNewThread {
            lease.keep { news in
                if case .drained(true) = news { isDrained.value = true }
                if case .lapsed = news { hasLapsed.value = true }
            }
            hasEnded.value = true
        }
        try store.write { [host] store throws(StoreFault) in
            _ = try store.setDrained(true, of: host.id)
        }
        #expect(isDrained.wait { $0 })
        lease.end()
        #expect(hasEnded.wait { $0 })
        #expect(!hasLapsed.value)
        let beat = try store.read { store throws(StoreFault) in try store.hosts().first?.beat }
        #expect(beat.map { $0 > 1 } == true)
    }

    @Test("a URL that does not say so is refused, with what to add to it")
    func unsaid() throws {
        _ = try PostgresStore.open(
            PostgresAddress(pooler.url(schema: schema, Self.pooled)), creates: true)
        #expect {
            try PostgresStore.open(PostgresAddress(pooler.url(schema: schema)), creates: true)
        } throws: { error in
            guard let fault = error as? StoreFault else { return false }
            return fault.kind == .denied && fault.message.contains("curfew.pooled=1")
        }
        #expect {
            try PostgresMigration.run(PostgresAddress(pooler.url(schema: schema)))
        } throws: {
            ($0 as? StoreFault)?.kind == .denied
        }
        // The server itself may be told the same, and is only slower.
        let direct = try PostgresStore.open(
            PostgresAddress(server.url(schema: schema, Self.pooled)), creates: false)
        #expect(try Self.journal(direct).isEmpty)
    }
}
