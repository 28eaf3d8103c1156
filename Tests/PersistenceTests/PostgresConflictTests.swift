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
        // It idles longer than a store does.
        try execute("SET idle_in_transaction_session_timeout TO 0")
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
        #expect(length >= .seconds(1.9) && length < .seconds(8))
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
        let claimed = try store.write { store throws(StoreFault) in
            try store.claim(ids[0], of: queue, at: 2_000)
        }
        #expect(claimed == ids[1])
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
        nonisolated(unsafe) let other = other
        let schema = address.schema
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
        #expect(begun.duration(to: .now) < .seconds(8))
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

    @Test("the server looks soon whether the machine of a client is there")
    func keepalives() throws {
        // A socket of this machine needs none.
        let port = try Self.freePort()
        let far = try PostgresServer(settings: ["listen_addresses=127.0.0.1", "port=\(port)"])
        let connection = try PostgresConnection.open(
            PostgresAddress("postgresql://curfew@127.0.0.1:\(port)/postgres"))
        let names = ["idle", "interval", "count"]
        let answers = try names.map { try connection.send(text: "SHOW tcp_keepalives_\($0)") }
        let limit = try connection.send(text: "SHOW tcp_user_timeout")
        try connection.sync()
        #expect(answers.map { $0[0].text(0) } == ["5", "3", "3"])
        #expect(limit[0].text(0) == "10000")
        withExtendedLifetime(far) {}
    }

    /// A port that nobody listens at.
    private static func freePort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard result else { throw TestFault(text: "there is no port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
