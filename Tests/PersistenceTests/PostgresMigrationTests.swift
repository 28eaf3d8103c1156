// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport
import Testing

@testable import Persistence

@Suite(
    "Versions of a store on a server", .serialized,
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresMigrationTests {
    private typealias Step = PostgresSchema.Step
    private let address: PostgresAddress
    private let old = Array(PostgresSchema.steps.prefix(1))

    init() throws { address = try PostgresAddress(PostgresServer.shared.url()) }

    private func host(_ process: Int32) -> HostRecord {
        HostRecord(
            identity: HostIdentity(boot: "boot", process: process, start: 1), machine: "m",
            space: 1, since: 1_000_000_000_000, lease: 30_000_000_000, release: "1.0")
    }

    /// Makes a store as the first version did.
    private func makeOld() throws {
        let connection = try PostgresConnection.open(address)
        try connection.send(text: "CREATE SCHEMA \(address.schema)")
        for step in old { try PostgresMigration.take(step, connection) }
        try connection.sync()
    }

    private func execute(_ statements: String...) throws {
        let connection = try PostgresConnection.open(address)
        for statement in statements { try connection.send(text: statement) }
        try connection.sync()
    }

    private func fault(_ body: () throws -> Void) -> StoreFault? {
        do {
            try body()
            return nil
        } catch { return error as? StoreFault }
    }

    @Test("tables of an older version are refused until they are migrated, and keep what they have")
    func older() throws {
        try makeOld()
        try execute(
            "INSERT INTO \(address.schema).value VALUES ('settings', '\\x0102')",
            "INSERT INTO \(address.schema).host VALUES (7, 'boot', 4, 5, 'm', 6, 1000000000000, 30000000000, 9, false)"
        )
        for creates in [true, false] {
            let fault = fault { _ = try PostgresStore.open(address, creates: creates) }
            #expect(fault?.kind == .denied)
            #expect(fault?.message.contains("curfew db migrate") == true)
        }
        let tried = try PostgresMigration.run(address, isRehearsal: true)
        #expect(tried == PostgresMigration(from: 1, to: PostgresSchema.version))
        #expect(fault { _ = try PostgresStore.open(address, creates: false) }?.kind == .denied)
        #expect(try PostgresMigration.run(address) == tried)
        let none = try PostgresMigration.run(address)
        #expect(none.from == none.to && none.to == PostgresSchema.version)
        let store = try PostgresStore.open(address, creates: false)
        try store.read { store throws(StoreFault) in
            #expect(try store.value("settings") == [1, 2])
            let host = try store.hosts().first
            #expect(host?.id == 7 && host?.beat == 9 && host?.knows == 1)
            #expect(host?.silence == nil && host?.isSilent == false)
        }
    }

    @Test("a store that another program makes at the same time is made once")
    func atOnce() async throws {
        let address = address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try PostgresStore.open(address, creates: true) }
            }
            try await group.waitForAll()
        }
        #expect(try PostgresMigration.run(address).from == PostgresSchema.version)
    }

    @Test(
        "a step that older hosts do not know waits until they have left, and one that they know does not"
    )
    func contract() throws {
        let store = try PostgresStore.open(address, creates: true)
        let next = PostgresSchema.version + 1
        try store.write { [host = host(4)] store throws(StoreFault) in _ = try store.enter(host) }
        let expanding =
            PostgresSchema.steps + [
                Step(
                    version: next, oldest: 1, statements: "ALTER TABLE value ADD COLUMN extra text")
            ]
        #expect(try PostgresMigration.run(address, expanding).to == next)
        // This program knows less than the tables have, and works.
        let second = try PostgresStore.open(address, creates: false)
        try second.write { [host = host(5)] store throws(StoreFault) in _ = try store.enter(host) }
        let contracting =
            expanding + [
                Step(
                    version: next + 1, oldest: next + 1,
                    statements: "ALTER TABLE value DROP COLUMN extra")
            ]
        let refused = fault { _ = try PostgresMigration.run(address, contracting) }
        #expect(refused?.kind == .denied)
        #expect(refused?.message.contains("host 1 (process 4 on m)") == true)
        // One has left, and the other was silent for longer than its lease.
        try execute(
            "UPDATE \(address.schema).host SET ended_at = 1 WHERE id = 1",
            "UPDATE \(address.schema).host SET beaten_at = now() - interval '31 seconds' WHERE id = 2"
        )
        #expect(try PostgresMigration.run(address, contracting).to == next + 1)
        // If it comes back it does not use the tables any more, and enters them no more.
        for kind in [StoreFault.Kind.fenced, .newer, .newer] {
            let fault = fault {
                try second.write { [host = host(5)] store throws(StoreFault) in
                    if kind != .fenced { _ = try store.enter(host) }
                    try store.setValue("settings", [3])
                }
            }
            #expect(fault?.kind == kind, "\(fault?.message ?? "")")
        }
        let tooOld = fault { _ = try PostgresStore.open(address, creates: false) }
        #expect(tooOld?.kind == .newer)
        let asked = fault { _ = try PostgresMigration.run(address) }
        #expect(asked?.kind == .newer)
    }

    @Test("a host is drained by others, and nobody drains one that has left")
    func drained() throws {
        let store = try PostgresStore.open(address, creates: true)
        let id = try store.write { [host = host(4)] store throws(StoreFault) in
            try store.enter(host)
        }
        try store.write { store throws(StoreFault) in
            #expect(try store.setDrained(true, of: id))
            #expect(try !store.setDrained(true, of: id + 1))
        }
        try store.read { store throws(StoreFault) in
            let host = try store.hosts()[0]
            #expect(host.isDrained && host.release == "1.0" && host.knows == PostgresSchema.version)
            #expect(host.silence.map { $0 < 30_000_000_000 } == true)
        }
        try store.write { store throws(StoreFault) in
            #expect(try store.setDrained(false, of: id))
            let host = try store.hosts()[0]
            #expect(!host.isDrained)
            _ = try store.leave(host, at: 2_000_000_000_000)
            #expect(try !store.setDrained(true, of: id))
        }
    }
}
