// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

@Suite(
    "What a store on a server says when it cannot be used",
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresFaultTests {
    private let server: PostgresServer

    init() throws { server = try .shared }

    private func open(_ url: String, creates: Bool = true) throws(StoreFault) -> PostgresStore {
        try PostgresStore.open(try PostgresAddress(url), creates: creates)
    }

    /// Returns the fault of opening a store.
    private func fault(_ url: String, creates: Bool = true) -> StoreFault? {
        do throws(StoreFault) {
            _ = try open(url, creates: creates)
            return nil
        } catch {
            return error
        }
    }

    @Test("URLs that are malformed, without what is secret in them")
    func malformed() throws {
        for query in [
            "curfew.schema=", "curfew.schema=Two", "curfew.schema=a;b", "curfew.schema=1a",
            "curfew.schema=pg_a", "curfew.lease=1", "curfew.lease=x", "curfew.lease=99999",
            "curfew.pooled=yes", "curfew.other=1", "nonsense=1",
            "curfew.schema=\(String(repeating: "a", count: 64))",
        ] {
            let found = try #require(fault("postgresql://me:hush@host/db?\(query)"), "\(query)")
            #expect(found.kind == .denied && found.message.contains("URL"), "\(query): \(found)")
            #expect(!found.message.contains("hush"))
        }
        let address = try PostgresAddress(
            "postgres://me:hush@db.example.org:5433/jobs?curfew.schema=two&sslmode=verify-full&password=hush"
        )
        #expect(
            address.text
                == "postgres://me@db.example.org:5433/jobs?curfew.schema=two&sslmode=verify-full")
        for url in [
            "postgresql://me@[::1]:54777/jobs?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgresql://a:1,b:2/jobs?target_session_attrs=any", "postgresql:///?service=jobs",
            "postgresql://%2Fvar%2Frun/jobs?passfile=/x&curfew.pooled=1",
        ] {
            #expect(try PostgresAddress(url).text == url)
        }
        #expect(
            try PostgresAddress("postgresql://me@host/jobs?curfew.lease=5&connect_timeout=3").key
                == PostgresAddress("postgres://you:hush@host/jobs").key)
        #expect(address.parameters["sslmode"] == "verify-full" && address.schema == "two")
        func encryption(_ url: String, _ environment: [String: String] = [:]) throws -> String? {
            try PostgresAddress(url) { environment[$0] }.parameters["sslmode"]
        }
        let far = "db.example.org"
        #expect(try encryption("postgresql://\(far)/x") == "require")
        #expect(try encryption("postgresql://\(far)/x", ["PGSSLMODE": "verify-full"]) == nil)
        #expect(try encryption("postgresql:///x?hostaddr=192.0.2.1") == "require")
        #expect(try encryption("postgresql:///x", ["PGHOST": far]) == "require")
        #expect(try encryption("postgresql:///x", ["PGHOSTADDR": "192.0.2.1"]) == "require")
        #expect(
            try encryption("postgresql://localhost/x", ["PGHOSTADDR": "192.0.2.1"]) == "require")
        #expect(try encryption("postgresql:///x?service=jobs", ["PGHOST": far]) == nil)
        #expect(try encryption("postgresql:///x", ["PGSERVICE": "jobs"]) == nil)
        #expect(try encryption("postgresql://localhost/x", ["PGHOST": far]) == nil)
        #expect(try encryption("postgresql:///x", ["PGHOST": "/run/postgresql"]) == nil)
        // Without encoding, a part of the password is read as the host, the port or the path.
        for (place, said) in [
            ("me:hush/hush@host/db", "%2F"), ("me:a@hush@host/db", "%40"),
            ("me:hush?hush@host/db", "port"),
            ("me:hush", "port"), ("host/db?hush", "read it"), ("host/db?bogus=hush", "bogus"),
        ] {
            let found = try #require(fault("postgresql://\(place)"), "\(place)")
            #expect(found.kind == .denied && found.message.contains(said), "\(place): \(found)")
            #expect(!found.message.contains("hush"), "\(place): \(found)")
        }
        #expect {
            try StoreAddress("host=db.example.org password=hush")
        } throws: { error in
            (error as? StoreFault).map { $0.kind == .denied && !$0.message.contains("hush") }
                == true
        }
        for path in ["./postgresql:", "/srv/postgresql://", "postgresql:/x", ""] {
            #expect(!PostgresAddress.isAddress(path))
        }
    }

    @Test("a server that loses what it has acknowledged when its machine crashes is warned of")
    func unsafe() throws {
        let unsafe = try #require(try open(server.url()).warning)
        #expect(unsafe.contains("fsync = off: a crash of its machine may lose"), "\(unsafe)")
        let safe = try PostgresServer(syncs: true)
        #expect(try open(safe.url()).warning == nil)
    }

    @Test("a server that is not there, and one that lets nobody in")
    func unreachable() throws {
        let none = try #require(fault("postgresql://me:hush@127.0.0.1:1/db"))
        #expect(none.kind == .unreachable && !none.message.contains("hush"), "\(none)")
        let database = try #require(fault(server.url(schema: "a", database: "nowhere")))
        #expect(database.kind == .denied && database.message.contains("nowhere"), "\(database)")
        let role = try #require(fault(server.url(schema: "a", user: "nobody-such")))
        #expect(role.kind == .denied, "\(role)")
        _ = try? server.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
        let asked = try #require(fault(server.url(schema: "a", user: "locked")))
        #expect(asked.kind == .denied && asked.message.contains("~/.pgpass"), "\(asked)")
        let wrong = try #require(fault(server.url(schema: "a", "&password=hush", user: "locked")))
        #expect(
            wrong.kind == .denied && wrong.message.contains("does not take the password")
                && !wrong.message.contains("hush"), "\(wrong)")
    }

    @Test("a store that is not there, and one that may not be made or used")
    func rights() throws {
        let absent = try #require(fault(server.url(), creates: false))
        #expect(absent.kind == .absent, "\(absent)")
        _ = try? server.run("CREATE ROLE weak LOGIN")
        let unmade = try #require(fault(server.url(schema: "weakly", user: "weak")))
        #expect(
            unmade.kind == .denied
                && unmade.message.contains("GRANT CREATE ON DATABASE \"postgres\" TO \"weak\""),
            "\(unmade)")
        _ = try open(server.url(schema: "strong"))
        let unread = try #require(fault(server.url(schema: "strong", user: "weak")))
        #expect(unread.kind == .denied && unread.message.contains("GRANT"), "\(unread)")
        _ = try? server.run(
            "CREATE ROLE reader SUPERUSER LOGIN; ALTER ROLE reader SET default_transaction_read_only TO on"
        )
        let reads = try #require(fault(server.url(schema: "strong", user: "reader")))
        #expect(reads.kind == .readOnly, "\(reads)")
    }

    @Test("tables of a newer version, and tables that are gone")
    func tables() throws {
        let url = server.url(schema: "later")
        let store = try open(url)
        try server.run("UPDATE later.store SET version = 9, oldest = 9")
        let newer = try #require(fault(url))
        #expect(newer.kind == .newer, "\(newer)")
        try server.run("DROP SCHEMA later CASCADE")
        #expect {
            try store.write { store throws(StoreFault) in try store.value("x") }
        } throws: {
            ($0 as? StoreFault)?.kind == .gone
        }
    }

    @Test("a host whose tables were replaced does not use the new ones before it is started again")
    func replaced() throws {
        let url = server.url(schema: "replaced")
        let store = try open(url)
        let host = HostRecord(
            identity: HostIdentity(boot: "b", process: 7, start: 1), machine: "m", since: 0,
            lease: 30_000_000_000)
        _ = try store.write { store throws(StoreFault) in try store.enter(host) }
        try server.run("DROP SCHEMA replaced CASCADE")
        _ = try open(url)
        for kind in [StoreFault.Kind.fenced, .gone, .gone] {
            #expect {
                try store.write { store throws(StoreFault) in
                    try store.append(JournalEntry(.submitted, at: 1))
                }
            } throws: {
                ($0 as? StoreFault)?.kind == kind
            }
        }
        let entries = try open(url).read { store throws(StoreFault) in
            try store.journal(after: 0, of: nil, limit: 9)
        }
        #expect(entries.isEmpty)
    }

    @Test("what a role has set for values in texts changes nothing")
    func settings() throws {
        _ = try? server.run("CREATE ROLE escaping SUPERUSER LOGIN")
        try server.run("ALTER ROLE escaping SET bytea_output TO escape")
        try server.run("ALTER ROLE escaping SET extra_float_digits TO -15")
        let store = try open(server.url(schema: "escaped", user: "escaping"))
        var request = sample()
        request.description.retry.jitter = 1.0 / 3
        let payload: [UInt8] = [0, 92, 120, 255]
        let id = try store.write { [request] store throws(StoreFault) in
            let id = try store.insert(request, payload: payload)
            try store.setValue("x", payload)
            return id
        }
        try store.read { store throws(StoreFault) in
            #expect(try store.payload(of: id) == payload)
            #expect(try store.value("x") == payload)
            #expect(try store.request(id)?.description.retry.jitter == 1.0 / 3)
        }
    }

    @Test("a connection that is ended by the server is made again")
    func ended() throws {
        let store = try open(server.url(schema: "brief"))
        let write = { () throws(StoreFault) in
            try store.write { store throws(StoreFault) in
                try store.append(JournalEntry(.submitted, at: 1))
            }
        }
        try write()
        try server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'curfew' AND state = 'idle'"
        )
        #expect {
            try write()
        } throws: {
            ($0 as? StoreFault)?.kind == .unreachable
        }
        try write()
        let entries = try store.read { store throws(StoreFault) in
            try store.journal(after: 0, of: nil, limit: 9)
        }
        #expect(entries.map(\.sequence) == [1, 2])
    }

    @Test("rows that make no sense")
    func damaged() throws {
        let store = try open(server.url(schema: "damaged"))
        let id = try store.write { store throws(StoreFault) in
            try store.insert(sample(), payload: [])
        }
        for change in [
            "state = 99", "kind = 99", "cron = 'x', rule = 2, catch_up = 0", "not_before = -1",
            "retry_jitter = 'NaN'", "priority = 77", "needs = 255", "launches = -1",
        ] {
            try server.run(
                "BEGIN; UPDATE damaged.request SET \(change) WHERE id = \(id); CREATE TABLE IF NOT EXISTS damaged.kept AS SELECT 1; COMMIT"
            )
            #expect {
                try store.read { store throws(StoreFault) in try store.request(id) }
            } throws: {
                ($0 as? StoreFault)?.kind == .corrupt
            }
            try server.run(
                "UPDATE damaged.request SET state = 1, kind = 1, cron = NULL, rule = 0, catch_up = NULL, not_before = 1000, retry_jitter = 0, priority = 1, needs = 0, launches = 0"
            )
        }
    }
}
