// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

@Suite(
    "How the store on a server finds what it looks for",
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresPlanTests {
    /// Those of a handful of rows.
    private static let whole: Set<PostgresQuery> = [
        .schedules, .hosts, .lastSeen, .lastTurn, .poll, .underWay,
        // A part of a text is in no index.
        .found, .countFound,
    ]
    /// Those that put what people see in order, or few rows.
    private static let sorting: Set<PostgresQuery> = [
        .soonestPending, .soonestPendingOf, .soonestRunning, .soonestRunningOf, .soonestParked,
        .soonestParkedOf, .running, .lockRunning, .orphans, .lockOrphans, .find, .owned,
        .latestOver, .found, .liveCounts, .causes,
        .lockPendingOf, .lockRunningIn, .runningIn,
        .lockGiven, .cancelledAmong, .attempts, .schedules, .lockIdentifiers, .giveNumbers,
        .journalOfRequest, .journalLastOf,
        // Of those that one transaction may remove.
        .journalKept,
    ]
    /// Those that change several rows.
    private static let searching: Set<PostgresQuery> = [
        .updateRequests, .redescribeRequests, .endAttempts,
    ]
    /// Those that are no statement with a plan.
    private static let planless: Set<PostgresQuery> = [
        .begin, .beginReading, .commit, .rollback, .save, .release, .rollbackToSaved,
        .forgetPlans,
    ]

    private static func add(
        _ number: Int, _ store: any StoreTransaction
    ) throws(StoreFault) {
        let states = RequestState.allCases
        let request = sample("org.example.a\(number % 50)", notBefore: Int64(number)) {
            $0.description.key = "k\(number)"
            $0.description.latest = Int64(number)
            // Few of them run.
            $0.state = number % 100 == 0 ? .running : states[number % states.count]
            if $0.state == .running, number % 100 != 0 { $0.state = .finished }
        }
        let id = try store.insert(request, payload: [])
        try store.append(
            JournalEntry(.submitted, at: 1, request: id, identifier: "org.example.a"))
        try store.put(
            Attempt(request: id, launch: 1, number: 1, host: OpenStore.host, startedAt: 1))
    }

    private static func fill(_ store: PostgresStore, turns: Int, of size: Int) throws {
        for turn in 0..<turns {
            var outlook = Outlook()
            outlook.submissions = size
            try store.write(expecting: outlook) { store throws(StoreFault) in
                for number in turn * size..<turn * size + size { try add(number, store) }
            }
            // Entries get their numbers.
            _ = try store.read { store throws(StoreFault) in
                try store.journal(after: .max, of: nil, limit: 1)
            }
        }
    }

    @Test("a statement that was planned for empty tables is planned anew")
    func anew() throws {
        let server = try PostgresServer.shared
        let address = try PostgresAddress(server.url())
        let store = try PostgresStore.open(address, creates: true)
        _ = try server.run(script: "VACUUM ANALYZE;")
        let connection = try PostgresConnection.open(address)
        func plan() throws -> [String] {
            let answer = try connection.send(
                text: "EXPLAIN EXECUTE \(PostgresStatement(.orphans).name)")
            try connection.sync()
            return answer.rows.map { $0.text(0) ?? "" }
        }
        try connection.send(.orphans)
        try connection.sync()
        try Self.fill(store, turns: 20, of: 100)
        let before = try plan()
        #expect(try plan() == before)
        try connection.planAnew(at: .max / 2)
        let after = try plan()
        #expect(before != after)
        #expect(after.contains { $0.contains("attempt_pkey") }, "\(after)")
    }

    /// What the tables are like when a host prepares its statements, which are used for as long as it runs.
    enum Tables: CaseIterable {
        case empty
        /// Of a store that was empty when the server looked at it, as it is after its history was pruned.
        case small
        case filled
    }

    @Test(
        "no query looks at a whole table, or sorts but for people", arguments: Tables.allCases)
    func plans(of tables: Tables) throws {
        let server = try PostgresServer.shared
        let url = server.url()
        let address = try PostgresAddress(url)
        let store = try PostgresStore.open(address, creates: true)
        switch tables {
        case .empty: break
        case .small:
            _ = try server.run(script: "VACUUM ANALYZE;")
            try Self.fill(store, turns: 1, of: 32)
        case .filled: try Self.fill(store, turns: 100, of: 100)
        }
        let queries = PostgresQuery.allCases.filter { !Self.planless.contains($0) }
        let settings =
            "SET search_path TO \(address.schema); \(tables == .filled ? "ANALYZE;" : "")\n"
            + PostgresQuery.settingList.map { "SET \($0.0) TO '\($0.1)';\n" }.joined()
        // Of rows, once with columns that all differ, and once with keys alone that do.
        let statements = queries.flatMap { query in
            [.max, 1 << UInt64(query.keys) - 1].map { PostgresStatement(query, varying: $0) }
        }
        let script = statements.map { statement in
            let (name, text) = (statement.name, statement.text)
            let count = (1...60).last { text.contains("$\($0)") } ?? 0
            let values = Array(repeating: "NULL", count: count).joined(separator: ", ")
            return """
                \\echo query \(name)
                PREPARE \(name) AS \(text);
                EXPLAIN EXECUTE \(name)\(count == 0 ? "" : "(\(values))");

                """
        }
        let lines = try server.run(script: settings + script.joined())
        var plans: [String: [String]] = [:]
        var current = ""
        for line in lines {
            if line.hasPrefix("query ") {
                current = String(line.dropFirst("query ".count))
            } else {
                plans[current, default: []].append(line)
            }
        }
        for statement in statements {
            let query = statement.query
            let plan = try #require(plans[statement.name], "\(query)")
            if !Self.whole.contains(query) {
                #expect(!plan.contains { $0.contains("Seq Scan") }, "\(query): \(plan)")
            }
            if Self.searching.contains(query) {
                // Each row is looked for: a whole index is no better than a whole table.
                #expect(plan.contains { $0.contains("Nested Loop") }, "\(query): \(plan)")
                #expect(plan.contains { $0.contains("Index Cond: ") }, "\(query): \(plan)")
            }
            if !Self.sorting.contains(query) {
                // The entries of one turn are put in order after the turns.
                let sorts = plan.contains { $0.contains("Sort  (") && !$0.contains("Incremental") }
                #expect(!sorts, "\(query): \(plan)")
            }
        }
    }
}
