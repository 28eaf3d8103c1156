// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Scheduling
import TestSupport
import Testing

@testable import Persistence

@Suite("A store that an older version made")
struct SQLiteMigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ role: SQLiteStore.Role = .host(OpenStore.host)) throws -> SQLiteStore {
        try SQLiteStore.open(directory: path, as: role)
    }

    /// Makes a store as version 1 did, and leaves its connection open.
    private func makeFirst() throws -> SQLiteConnection {
        mkdir(path, 0o700)
        try directory.write([], to: "store/requests.db")
        chmod(path + "/requests.db", 0o600)
        let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
        #expect(try connection.texts("PRAGMA journal_mode = WAL") == ["wal"])
        try connection.run("BEGIN; \(SQLiteSchema.migrations[0]); PRAGMA user_version = 1; COMMIT")
        return connection
    }

    private static let submitted = RequestRow.submitted.replacing(
        "payload_size", with: "payload_bytes")

    /// Puts a request with all that belongs to it in, by what version 1 had for that.
    private func insert(
        _ request: Request, _ payload: [UInt8], _ attempts: [Attempt], _ entry: JournalEntry,
        _ connection: SQLiteConnection
    ) throws {
        func run(_ text: String, _ count: Int, _ values: (SQLiteStatement) -> Void) throws {
            let places = (1...count).map { "?\($0)" }.joined(separator: ", ")
            let statement = try connection.prepare("\(text) VALUES (\(places))")
            values(statement)
            try statement.run()
        }
        try run("INSERT INTO request (\(Self.submitted), \(RequestRow.standing))", 29) {
            RequestRow.putSubmitted(request, to: $0)
            RequestRow.putState(request, to: $0)
        }
        if !payload.isEmpty {
            try run("INSERT INTO payload", 2) {
                $0.put(request.id)
                $0.put(payload)
            }
        }
        for attempt in attempts {
            try run("INSERT INTO attempt", 11) { AttemptRow.putEarlier(attempt, to: $0) }
        }
        try run("INSERT INTO journal (at, what, request, identifier, launch, detail)", 6) {
            JournalRow.put(entry, to: $0)
        }
    }

    @Test("is taken over with everything that is in it", arguments: 0..<4)
    func takenOver(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let connection = try makeFirst()
        let memory = try TestedStore.memory.make()
        try connection.run("BEGIN")
        for number in 1...120 as ClosedRange<UInt64> {
            var request = Request.random(&generator)
            // Version 1 had no such reason, and no such outcome.
            if request.reason == .byHand { request.reason = .released }
            if request.outcome == .crashed { request.outcome = .failed }
            request.id = RequestID(rawValue: number)
            request.pause = nil
            request.description.opportunistic = migrated(request)
            request.description.atMost = nil
            request.payloadBytes = [0, 1, 1_024, 1_025, 9_000].randomElement(using: &generator)!
            let payload = [UInt8](repeating: UInt8(number), count: request.payloadBytes)
            let attempts = (0..<Int.random(in: 0...3, using: &generator)).map {
                Attempt(
                    request: request.id, launch: UInt64($0), number: 1, host: OpenStore.host,
                    startedAt: 4)
            }
            // Nobody else had any.
            request.owner = nil
            let entry = JournalEntry(
                .allCases.randomElement(using: &generator)!, at: 5,
                request: Bool.random(using: &generator) ? nil : request.id, detail: "d\(number)")
            try insert(request, payload, attempts, entry, connection)
            try memory.write { store in
                _ = try store.insert(request, payload: payload)
                for attempt in attempts { try store.put(attempt) }
                try store.append(entry)
            }
        }
        try connection.run(
            "INSERT INTO value VALUES ('v1', x'0102'); COMMIT; PRAGMA foreign_keys = ON")
        try memory.write { try $0.setValue("v1", [1, 2]) }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])

        let store = OpenStore(try open(), in: nil)
        let difference = StoreAnswers.difference(
            try StoreAnswers(memory), try StoreAnswers(store))
        #expect(difference == nil)
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
    }

    /// Returns how a request waits that was stored before it could say so: by its kind.
    private func migrated(_ request: Request) -> RequestWish {
        guard request.state.isLive else { return .no }
        return [.processing, .healthResearch].contains(request.description.kind) ? .idle : .calm
    }

    @Test("keeps its requests, and what they wait for, from a program before version 5")
    func waits() throws {
        let stored = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Stores/version-4.db")
        mkdir(path, 0o700)
        try directory.write([UInt8](Data(contentsOf: stored)), to: "store/requests.db")
        chmod(path + "/requests.db", 0o600)
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
        let store = try open()
        let requests = try store.read { store throws(StoreFault) in
            try store.requests(RequestFilter(limit: 9))
        }
        #expect(
            requests.map(\.description.identifier) == [
                "org.example.refresh", "org.example.nightly", "org.example.study",
                "org.example.export", "org.example.nightly", "org.example.gone",
            ])
        #expect(
            requests.map(\.description.opportunistic) == [.calm, .idle, .idle, .calm, .idle, .no])
        #expect(requests.allSatisfy { $0.description.atMost == nil })
        #expect(
            requests.map(\.state) == [.pending, .pending, .pending, .pending, .pending, .cancelled])
        #expect(requests[1].description.key == "nightly")
        #expect(requests[1].description.needs == .externalPower)
        try store.read { store throws(StoreFault) in
            for request in requests.prefix(5) {
                #expect(try store.head(of: request.queue)?.id == request.id)
            }
            #expect(try store.payload(of: requests[0].id) == Array("123456789".utf8))
        }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
    }

    @Test("numbers that it gave and removed are not given again")
    func numbers() throws {
        let connection = try makeFirst()
        for id in 1...3 as ClosedRange<UInt64> {
            var request = sample { $0.state = .finished }
            request.id = RequestID(rawValue: id)
            try insert(
                request, [], [], JournalEntry(.submitted, at: 1, request: request.id), connection)
        }
        try connection.run("DELETE FROM request; DELETE FROM journal")
        let store = try open()
        try store.write { store throws(StoreFault) in
            #expect(try store.insert(sample(), payload: []).rawValue == 4)
            try store.append(JournalEntry(.submitted, at: 1))
            #expect(try store.journal(after: 0, of: nil, limit: 9).last?.sequence == 4)
        }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
    }

    @Test("is refused to clients that had it open before, and to a client while it has a host")
    func others() throws {
        let connection = try makeFirst()
        let request = "SELECT id, \(Self.submitted), \(RequestRow.standing) FROM request"
        let old = try connection.prepare(request)
        #expect(try old.step() == false)
        do {
            // A host of that version has locked the file alone. <fcntl.h>: F_OFD_SETLK
            let lock = Glibc.open(path + "/lock", O_RDWR | O_CREAT, 0o600)
            defer { close(lock) }
            var all = flock()
            all.l_type = Int16(F_WRLCK)
            #expect(fcntl(lock, 37, &all) == 0)
            #expect(try SQLiteStore.host(of: path) != nil)
            let fault = #expect(throws: StoreFault.self) { try open(.client(creates: false)) }
            #expect(fault?.kind == .locked)
        }
        try open(.client(creates: false)).add("a")
        #expect(throws: StoreFault.self) { try old.step() }
        #expect(throws: StoreFault.self) {
            try connection.number("SELECT count FROM tally WHERE kind = 1")
        }
        #expect(throws: StoreFault.self) {
            try connection.number("SELECT processing FROM counter")
        }
    }
}
