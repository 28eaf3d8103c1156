// SPDX-License-Identifier: Apache-2.0
import Scheduling
import TestSupport
import Testing

@testable import Persistence

@Suite("How the store finds what it looks for")
struct SQLitePlanTests {
    /// Those that take a table's first or last row.
    private static let ends: Set<SQLiteQuery> = [.journalFirst, .journalLast, .counters]
    /// Those that read all of a small table, or look for a part of a text, which no index has.
    private static let whole: Set<SQLiteQuery> = [.schedules, .found]

    /// Those that put what people see in order.
    private static let sorting: Set<SQLiteQuery> = [.soonest, .soonestOf, .found]

    @Test(
        "no query looks at a whole table, or sorts but for people", arguments: SQLiteQuery.allCases)
    func plan(_ query: SQLiteQuery) throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore.open(
            directory: directory.path("store"), as: .host(OpenStore.host))
        let connection = try #require(store.transaction?.connection)
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + query.text)
        while try statement.step() {
            let line = try #require(statement.text(3))
            #expect(!line.contains("TEMP B-TREE") || Self.sorting.contains(query))
            if line.hasPrefix("SCAN"), !Self.ends.contains(query), !Self.whole.contains(query) {
                #expect(line.contains("USING INDEX") || line == "SCAN CONSTANT ROW")
            }
        }
    }

    /// Those that are for people, or prune.
    private static let gathering: Set<SQLiteQuery> = [
        .soonest, .soonestOf, .journalOfRequest, .prunePayloads, .pruneAttempts, .pruneRequests,
        .pruneFiled,
    ]

    @Test("no query of a task's path makes a table of its own", arguments: SQLiteQuery.allCases)
    func ephemeral(_ query: SQLiteQuery) throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore.open(
            directory: directory.path("store"), as: .host(OpenStore.host))
        let connection = try #require(store.transaction?.connection)
        let statement = try connection.prepare("EXPLAIN " + query.text)
        var steps: Set<String> = []
        while try statement.step() { steps.insert(try #require(statement.text(1))) }
        #expect(
            !steps.contains("OpenEphemeral") || Self.gathering.contains(query), "\(query.text)")
    }

    @Test("a head, the queues and the first to miss cost the same among ten and ten thousand")
    func effort() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore.open(
            directory: directory.path("store"), as: .host(OpenStore.host))
        func steps() throws -> [Int] {
            let connection = try #require(store.transaction?.connection)
            let queries: [SQLiteQuery] = [
                .head, .nextQueue, .firstToMiss, .running, .firstPending, .find,
            ]
            for query in queries { _ = try connection.statement(query).steps() }
            try store.read { store throws(StoreFault) in
                for queue in try store.queues(of: nil, limit: .max) {
                    _ = try store.head(of: queue)
                }
                _ = try store.firstToMiss()
                _ = try store.running()
                _ = try store.firstPending("org.example.tidy")
                _ = try store.find(key: "k", of: "org.example.tidy", owner: nil)
            }
            return try queries.map { try connection.statement($0).steps() }
        }
        func add(_ count: Int) throws {
            try store.write { store throws(StoreFault) in
                for number in 0..<count {
                    let request = sample(notBefore: Int64(number)) {
                        $0.description.key = "k"
                        $0.description.latest = Int64(number)
                    }
                    _ = try store.insert(request, payload: [])
                }
            }
        }
        try add(10)
        let few = try steps()
        try add(10_000)
        let many = try steps()
        #expect(many == few)
        #expect(few.allSatisfy { $0 > 0 })
    }

    @Test("a list of few costs the same among three thousand and fifteen thousand others")
    func lists() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore.open(
            directory: directory.path("store"), as: .host(OpenStore.host))
        func add(_ count: Int, _ identifier: String, _ state: RequestState) throws {
            try store.write { store throws(StoreFault) in
                for _ in 0..<count {
                    _ = try store.insert(sample(identifier) { $0.state = state }, payload: [])
                }
            }
        }
        func steps() throws -> Int {
            let connection = try #require(store.transaction?.connection)
            let queries: [SQLiteQuery] = [.requests, .liveIDs, .liveIDsOf, .historyIDs, .request]
            for query in queries { _ = try connection.statement(query).steps() }
            let found = try store.read { store throws(StoreFault) in
                try store.requests(RequestFilter(identifier: "org.few"))
                    + store.requests(RequestFilter(states: [.parked]))
                    + store.requests(RequestFilter(states: [.finished], identifier: "org.few"))
            }
            #expect(found.count == 11)
            return try queries.reduce(0) { try $0 + connection.statement($1).steps() }
        }
        try add(3_000, "org.many", .pending)
        try add(3, "org.few", .pending)
        try add(4, "org.few", .finished)
        let few = try steps()
        try add(12_000, "org.many", .pending)
        #expect(try steps() == few)
    }
}
