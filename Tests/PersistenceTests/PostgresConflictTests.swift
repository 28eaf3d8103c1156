// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

/// Sessions of others that hold what a store needs, or end its own.
@Suite(
    "Conflicts with other sessions of a server", .serialized,
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresConflictTests {
    private let server: PostgresServer
    private let address: PostgresAddress
    private let store: PostgresStore
    /// Another session of the same server.
    private let other: PostgresConnection

    init() throws {
        server = try PostgresServer.shared
        address = try PostgresAddress(server.url())
        store = try PostgresStore.open(address, creates: true)
        other = try PostgresConnection.open(address)
    }

    private func execute(_ statements: String...) throws {
        for statement in statements { try other.send(text: statement) }
        try other.sync()
    }

    private func insert(_ identifier: String = "org.example.tidy") throws -> RequestID {
        try store.write { store throws(StoreFault) in
            try store.insert(sample(identifier), payload: [])
        }
    }

    private func change(_ id: RequestID, priority: RequestPriority = .high) throws {
        try store.write { store throws(StoreFault) in
            guard var request = try store.request(id) else { return }
            request.description.priority = priority
            try store.redescribe(request)
        }
    }

    private static func submit(
        _ store: PostgresStore, inside: () -> Void
    ) throws(StoreFault) {
        try store.write { transaction throws(StoreFault) in
            _ = try RequestLedger().submit(
                RequestDescription("org.example.tidy", key: "k"), payload: [], at: 1, transaction)
            inside()
        }
    }

    /// Requires that something fails because others have what it needs, after one wait for it.
    private func expectBusy(_ body: () throws -> Void) {
        let begun = ContinuousClock.now
        #expect {
            try body()
        } throws: {
            ($0 as? StoreFault)?.kind == .busy
        }
        // The limit for a lock is 2 s.
        let length = begun.duration(to: .now)
        #expect(length >= .seconds(1.9) && length < .seconds(5))
    }

    /// Requires that the store works, and that a number of changes were written.
    private func expectWorking(_ requests: Int) throws {
        _ = try insert()
        let ids = try store.read { store throws(StoreFault) in
            try store.requests(RequestFilter()).map(\.id)
        }
        #expect(ids.count == requests + 1)
    }

    @Test("a table that others lock is waited for, and then given up")
    func lockedTable() throws {
        let id = try insert()
        try execute("BEGIN", "LOCK TABLE \(address.schema).request IN ACCESS EXCLUSIVE MODE")
        expectBusy { _ = try insert() }
        expectBusy { _ = try store.read { store throws(StoreFault) in try store.request(id) } }
        try execute("ROLLBACK")
        try expectWorking(1)
    }

    @Test("a request that others lock is not launched, and cannot be changed meanwhile")
    func lockedRow() throws {
        let ids = [try insert(), try insert()]
        try execute(
            "BEGIN", "SELECT FROM \(address.schema).request WHERE id = \(ids[0]) FOR UPDATE")
        let queue = sample().queue
        let begun = ContinuousClock.now
        let claimed = try store.write { store throws(StoreFault) in
            try store.claim(ids[0], of: queue, at: 2_000)
        }
        #expect(claimed == ids[1])
        #expect(begun.duration(to: .now) < .seconds(1.5))
        expectBusy { try change(ids[0]) }
        try change(ids[1])
        try execute("ROLLBACK")
        try change(ids[0])
        try expectWorking(2)
    }

    @Test("two programs that use the same key wait for each other, and one gives up")
    func lockedIdentifier() throws {
        let (isInside, gate, second) = (Guarded(false), Gate(), Guarded<Bool?>(nil))
        Thread.detachNewThread { [address] in
            let result = Result {
                try Self.submit(PostgresStore.open(address, creates: false)) {
                    isInside.value = true
                    try? gate.pass()
                }
            }
            second.value = (try? result.get()) != nil
        }
        #expect(isInside.wait { $0 })
        expectBusy { try Self.submit(store) {} }
        gate.open()
        #expect(second.wait { $0 != nil })
        #expect(second.value == true)
        try Self.submit(store) {}
        try expectWorking(1)
    }

    @Test("of two that lock the same requests the other way round one gives up")
    func deadlock() throws {
        let ids = [try insert(), try insert()]
        try execute(
            "BEGIN", "SELECT FROM \(address.schema).request WHERE id = \(ids[1]) FOR UPDATE")
        let hasEnded = Guarded<Bool?>(nil)
        let go = Gate()
        // Sendable: nobody else uses it until the thread has ended.
        nonisolated(unsafe) let (other, schema) = (other, address.schema)
        Thread.detachNewThread {
            try? go.pass()
            let result = Result {
                try other.send(
                    text: "SELECT FROM \(schema).request WHERE id = \(ids[0]) FOR UPDATE")
                try other.sync()
            }
            hasEnded.value = (try? result.get()) != nil
        }
        let begun = ContinuousClock.now
        let answer = Result { () throws(StoreFault) in
            try store.write { store throws(StoreFault) in
                guard var first = try store.request(ids[0]) else { return }
                go.open()
                _ = try store.request(ids[1])
                first.description.priority = .high
                try store.redescribe(first)
            }
        }
        if case .failure(let fault) = answer { #expect(fault.kind == .busy) }
        #expect(begun.duration(to: .now) < .seconds(5))
        #expect(hasEnded.wait { $0 != nil })
        // One of them has both.
        #expect((hasEnded.value == true) != ((try? answer.get()) != nil))
        try execute("ROLLBACK")
        try change(ids[0])
        try expectWorking(2)
    }

    /// Where the session of a transaction is ended.
    enum Point: CaseIterable { case begun, read, written }

    @Test(
        "a session that is ended in the middle of a transaction takes it along",
        arguments: Point.allCases)
    func ended(_ point: Point) throws {
        let name = "ended\(address.schema)"
        let store = try PostgresStore.open(
            PostgresAddress(
                server.url(schema: address.schema, "&application_name=\(name)")), creates: false)
        let id = try insert()
        func end() throws {
            let ended = try server.run(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '\(name)'"
            )
            #expect(ended == ["t"])
        }
        let fault = Guarded<(any Error)?>(nil)
        let attempt = { (reached: Point) in
            guard reached == point else { return }
            do { try end() } catch { fault.value = error }
        }
        #expect {
            try store.write { transaction throws(StoreFault) in
                attempt(.begun)
                guard var request = try transaction.request(id) else { return }
                attempt(.read)
                request.description.priority = .high
                try transaction.redescribe(request)
                _ = try transaction.insert(sample(), payload: [])
                attempt(.written)
            }
        } throws: {
            ($0 as? StoreFault)?.kind == .unreachable
        }
        #expect(fault.value == nil)
        let kept = try store.read { store throws(StoreFault) in try store.request(id) }
        #expect(kept?.description.priority == .normal)
        try expectWorking(1)
    }
}
