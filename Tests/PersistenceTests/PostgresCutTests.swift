// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

/// A store whose connection fails, at any byte.
@Suite(
    "Connections to a server that are cut", .serialized,
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresCutTests {
    private static let isTorture = ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == "1"
    /// The distance between the bytes at which a connection is cut; all of them take some minutes.
    private static let stride = isTorture ? 1 : 101

    /// Much more than the limits that the tests set, on a busy machine, and less than those of a host.
    private static let inTime = Duration.seconds(20)

    private let server: PostgresServer
    private let proxy: CutProxy
    private let schema: String

    init() throws {
        server = try PostgresServer.shared
        proxy = try CutProxy(to: server)
        schema = try PostgresAddress(server.url()).schema
        _ = try PostgresStore.open(PostgresAddress(server.url(schema: schema)), creates: true)
        // Numbers have the same number of digits in all transactions.
        try server.run(
            "ALTER SEQUENCE \(schema).turn_id RESTART 1000000; ALTER SEQUENCE \(schema).request_id RESTART 1000000"
        )
    }

    /// A host whose connection goes through a proxy, and a client whose own does not.
    private final class Pair {
        static let tidy = "org.example.tidy"
        /// An identifier for the request with a key: there are too many for one.
        static func keyed(_ key: String) -> String { "org.example.keyed" + key.prefix(4) }

        let host: PostgresStore
        let witness: PostgresStore
        private var book: RequestBook
        private let now = Moment(wall: 1_000_000_000_000, span: 1_000_000_000_000)

        init(_ host: PostgresStore, _ witness: PostgresStore) throws {
            (self.host, self.witness) = (host, witness)
            book = RequestBook(host: HostIdentity(boot: "boot", process: 1, start: 1))
            book.setHost(
                HostRecord(
                    identity: book.host.identity, machine: "m", since: 0, lease: 30_000_000_000))
            book.setState(HandlerState(places: 4), of: Self.tidy)
            try host.write { store throws(StoreFault) in _ = try book.open(at: now, store) }
        }

        /// Runs a transaction, and takes the book back where it was not committed.
        private func run<Result>(
            _ outlook: Outlook, _ body: (any StoreTransaction) throws(StoreFault) -> Result
        ) throws(StoreFault) -> Result {
            let before = book.mark()
            do throws(StoreFault) {
                let result = try host.write(expecting: outlook, body)
                book.worked()
                return result
            } catch {
                book.revert(to: before)
                book.failed(error)
                throw error
            }
        }

        /// Submits a request, and returns it once it was launched.
        func launch() throws -> RequestID {
            let id = try run(book.outlook(submitting: 1, ending: [], at: now)) {
                store throws(StoreFault) in
                try book.submit(RequestDescription(Self.tidy), payload: [], at: now, store)
            }
            book.othersWrote()
            let launched = try run(book.outlook(submitting: 0, ending: [], at: now)) {
                store throws(StoreFault) in try book.decide(at: now, store)
            }
            #expect(launched.count == 1)
            return try id.get().id
        }

        /// Submits two requests with keys, and ends a task, in one transaction.
        func submit(_ key: String, ending id: RequestID) throws(StoreFault) -> [Submission] {
            let outlook = book.outlook(submitting: 2, ending: [id], at: now)
            return try run(outlook) { store throws(StoreFault) in
                var answers: [Submission] = []
                for part in ["a", "b"] {
                    let answer = try book.submit(
                        RequestDescription(Self.keyed(key), key: key + part), payload: [7], at: now,
                        store)
                    if case .success(let submission) = answer { answers.append(submission) }
                }
                _ = try book.ended(
                    id, launch: 1, AttemptEnd(.succeeded), answered: true, at: now, store)
                return answers
            }
        }

        /// Submits a request of its own identifier, which nothing has to be asked for.
        func submitAlone() throws(StoreFault) {
            let outlook = book.outlook(submitting: 1, ending: [], at: now)
            try run(outlook) { store throws(StoreFault) in
                let description = RequestDescription("org.example.alone", onPending: .add)
                guard
                    case .success = try book.submit(description, payload: [7], at: now, store)
                else { fatalError("a request was refused") }
            }
        }

        /// The number of requests that were submitted by `submitAlone`.
        func countAlone() throws -> Int {
            try witness.read { store throws(StoreFault) in
                try store.pendingCount(.identifier("org.example.alone"), atMost: 100_000)
            }
        }

        /// Ends a task again, if it has not ended.
        func end(_ id: RequestID) throws {
            try run(book.outlook(submitting: 0, ending: [id], at: now)) {
                store throws(StoreFault) in
                _ = try book.ended(
                    id, launch: 1, AttemptEnd(.succeeded), answered: true, at: now, store)
            }
        }

        /// The requests that are in the store by two keys.
        func find(_ key: String) throws -> [RequestID] {
            try witness.read { store throws(StoreFault) in
                var ids: [RequestID] = []
                for part in ["a", "b"] {
                    let found = try store.find(key: key + part, of: Self.keyed(key), owner: nil)
                    if let id = found?.id { ids.append(id) }
                }
                return ids
            }
        }

        func state(of id: RequestID) throws -> RequestState? {
            try witness.read { store throws(StoreFault) in try store.request(id)?.state }
        }

        /// The whole journal, whose numbers have no gap.
        func journal() throws -> [JournalEntry] {
            try witness.read { store throws(StoreFault) in
                var entries: [JournalEntry] = []
                while true {
                    let next = try store.journal(
                        after: entries.last?.sequence ?? 0, of: nil, limit: 10_000)
                    if next.isEmpty { return entries }
                    entries += next
                }
            }
        }
    }

    private func pair(
        _ parameters: String = "", through other: CutProxy? = nil,
        answerLimit: UInt64 = 60_000_000_000, resolveLimit: UInt64 = 60_000_000_000
    ) throws -> Pair {
        let host = try PostgresStore.open(
            PostgresAddress((other ?? proxy).url(schema: schema, parameters)), creates: false,
            answerLimit: answerLimit, resolveLimit: resolveLimit)
        let witness = try PostgresStore.open(
            PostgresAddress(server.url(schema: schema)), creates: false)
        return try Pair(host, witness)
    }

    /// What a transaction sends and receives.
    private struct Traffic {
        let sent: [UInt8]
        let received: Int
        /// Where each message to the server begins, with its type, and the statement: its text where it is parsed, and
        /// its name where it is bound.
        var messages: [(start: Int, type: UInt8, statement: String)] {
            var messages: [(Int, UInt8, String)] = []
            var start = 0
            while start + 5 <= sent.count {
                let length = sent[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
                let content = sent[start + 5..<start + 1 + length]
                let names = content.split(separator: 0, omittingEmptySubsequences: false)
                let name = names.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
                messages.append(
                    (start, sent[start], "PB".utf8.contains(sent[start]) ? name ?? "" : ""))
                start += 1 + length
            }
            return messages
        }
        /// Where the messages of COMMIT begin: with its Parse, if it has one.
        var commit: Int? {
            let name = "q\(PostgresQuery.commit.rawValue)"
            return messages.first { $0.statement == "COMMIT" || $0.statement == name }?.start
        }
        /// Where the last round trip begins.
        var lastTrip: Int? {
            let syncs = messages.filter { $0.type == UInt8(ascii: "S") }
            return syncs.dropLast().last.map { $0.start + 5 }
        }
    }

    /// Measures the transaction that the tests cut.
    private func measure(_ pair: Pair, _ other: CutProxy? = nil) throws -> Traffic {
        let proxy = other ?? proxy
        // A connection has to prepare what it has not asked before, also after it was cut.
        proxy.cutAll()
        _ = try? pair.host.dataVersion()
        let id = try pair.launch()
        proxy.set(.forward)
        #expect(try pair.submit("k000000", ending: id).count == 2)
        let traffic = proxy.traffic
        proxy.cutAll()
        _ = try? pair.host.dataVersion()
        return Traffic(sent: traffic.sent, received: traffic.received)
    }

    /// Looks whether all or nothing of a transaction is in the store, as its caller was told, and does it again.
    private func check(
        _ pair: Pair, _ key: String, _ id: RequestID, _ answer: Result<[Submission], StoreFault>,
        _ comment: Comment
    ) throws {
        let found = try pair.find(key)
        switch answer {
        case .success(let submissions):
            #expect(found == submissions.map(\.id) && found.count == 2, comment)
            #expect(try pair.state(of: id) == .finished, comment)
        case .failure(let fault):
            #expect(fault.kind == .unreachable, "\(comment): \(fault)")
            #expect(found.isEmpty, comment)
            #expect(try pair.state(of: id) == .running, comment)
        }
        let again = try pair.submit(key, ending: id)
        #expect(again.count == 2, comment)
        if !found.isEmpty { #expect(again == found.map { .duplicateKey($0) }, comment) }
        #expect(try pair.find(key) == again.map(\.id), comment)
        #expect(try pair.state(of: id) == .finished, comment)
    }

    /// Looks whether each of so many transactions is in the journal once.
    private func checkJournal(_ pair: Pair, _ transactions: Int) throws {
        let journal = try pair.journal()
        #expect(journal.map(\.sequence) == Array(1...UInt64(journal.count)))
        #expect(journal.count { $0.what == .submitted } == 3 * transactions)
        #expect(journal.count { $0.what == .launched } == transactions)
        #expect(journal.count { $0.what == .ended } == transactions)
        #expect(journal.count { $0.what == .fenced } == 0)
        let submitted = journal.filter { $0.what == .submitted }.compactMap(\.request)
        #expect(Set(submitted).count == submitted.count)
    }

    @Test(
        "what is cut at any byte is in the store as a whole or not at all, and its caller knows",
        arguments: PgBouncer.program == nil ? [false] : [false, true])
    func everyByte(_ isPooled: Bool) throws {
        let proxy = isPooled ? try CutProxy(to: server, through: .shared) : proxy
        let pair = try pair(isPooled ? "&curfew.pooled=1" : "", through: proxy)
        let whole = try measure(pair, proxy)
        let commit = try #require(whole.commit)
        // Behind a pooler each statement is sent as a text.
        let stride = isPooled ? 3 * Self.stride : Self.stride
        // Those of COMMIT decide.
        let sent =
            Array(Swift.stride(from: 0, to: commit, by: stride)) + (commit..<whole.sent.count)
        let received = Swift.stride(from: whole.received - 1, through: 0, by: -stride)
        let cuts =
            sent.map { (CutProxy.Direction.toServer, $0) }
            + received.map { (CutProxy.Direction.fromServer, $0) }
        var committed = 0
        for (number, (direction, count)) in cuts.enumerated() {
            let key = "k\(100_000 + number)"
            let id = try pair.launch()
            proxy.set(.cut(direction, after: count))
            let answer = Result { () throws(StoreFault) in try pair.submit(key, ending: id) }
            // One that counts less than the measured one may be over before.
            proxy.set(.forward)
            if case .success = answer { committed += 1 }
            try check(pair, key, id, answer, "cut \(direction) after \(count) bytes")
            proxy.cutAll()
            _ = try? pair.host.dataVersion()
        }
        // Those whose last answers were cut, and no others.
        #expect(committed > 0 && committed < cuts.count / 2)
        try checkJournal(pair, cuts.count + 1)
    }

    @Test("a transaction of one round trip is cut at any byte, and its caller knows")
    func oneTrip() throws {
        let pair = try pair()
        // The first ones draw numbers ahead.
        for _ in 0..<2 { try pair.submitAlone() }
        proxy.set(.forward)
        let before = pair.host.roundTrips
        try pair.submitAlone()
        #expect(pair.host.roundTrips == before + 1)
        let whole = proxy.traffic
        let sent = Swift.stride(from: 0, to: whole.sent.count, by: Self.stride)
        let received = Swift.stride(from: 0, to: whole.received, by: Self.stride)
        var (committed, count) = (0, try pair.countAlone())
        for (direction, limit) in sent.map({ (CutProxy.Direction.toServer, $0) })
            + received.map({ (.fromServer, $0) })
        {
            proxy.set(.cut(direction, after: limit))
            let answer = Result { () throws(StoreFault) in try pair.submitAlone() }
            proxy.set(.forward)
            if case .success = answer {
                committed += 1
                count += 1
            } else {
                #expect(throws: Never.self, "\(answer)") {
                    if case .failure(let fault) = answer, fault.kind == .unknown { throw fault }
                }
            }
            proxy.cutAll()
            #expect(
                try pair.countAlone() == count, "cut \(direction) after \(limit) bytes: \(answer)")
            // Over another connection, with numbers of its own.
            for _ in 0..<2 { try pair.submitAlone() }
            count += 2
        }
        #expect(committed > 0)
        #expect(try pair.journal().count { $0.identifier == "org.example.alone" } == count)
    }

    /// Keeps a COMMIT back, or an earlier part of its round trip, until its caller knows what came of it.
    ///
    /// - Parameters:
    ///   - part: the part of what comes before COMMIT that reaches the server at once.
    ///   - isSeen: whether the store finds the session that waits for the rest, and can end it.
    @Test(
        "a COMMIT that comes late is never done, whatever of its transaction came before",
        arguments: [
            (0, true), (0.3, true), (0.6, true), (0.9, true), (1, true), (0, false), (0.3, false),
        ])
    func late(_ part: Double, _ isSeen: Bool) throws {
        let pair = try pair(isSeen ? "" : Self.unseen)
        let whole = try measure(pair)
        let (trip, commit) = (try #require(whole.lastTrip), try #require(whole.commit))
        let id = try pair.launch()
        proxy.set(.hold(after: trip + Int(Double(commit - trip) * part), last: whole.sent.count))
        let begun = ContinuousClock.now
        let answer = Result { () throws(StoreFault) in try pair.submit("k999999", ending: id) }
        #expect(begun.duration(to: .now) < Self.inTime)
        #expect(throws: StoreFault.self) { try answer.get() }
        let before = try turns()
        proxy.release()
        // Only the connection over which its end was found out may be left.
        #expect(proxy.waitUntil(links: 1))
        #expect(try turns() == before)
        try check(pair, "k999999", id, answer, "held back")
        try checkJournal(pair, 2)
    }

    /// Then a store goes by the start of its transaction, as behind a pooler, and the server does not say that.
    private static let unseen = "&curfew.pooled=1&options=-c%20track_activities%3Doff"

    /// The number of transactions that were committed.
    private func turns() throws -> [String] {
        try server.run("SELECT count(*) FROM \(schema).turn WHERE entries > 0")
    }

    @Test("whether a COMMIT under way was done is unknown where its session cannot be ended")
    func unknown() throws {
        for _ in 0..<5 where try PostgresCutTests().isUnknown() { return }
        Issue.record("five times the server had not begun with what came before COMMIT")
    }

    /// Returns false where the server had not come to the transaction before it was asked about it: then it is never
    /// done, and that is known.
    private func isUnknown() throws -> Bool {
        let pair = try pair(Self.unseen, resolveLimit: 1_000_000_000)
        let whole = try measure(pair)
        let id = try pair.launch()
        proxy.set(.hold(after: try #require(whole.commit), last: whole.sent.count))
        let answer = Result { () throws(StoreFault) in try pair.submit("k999999", ending: id) }
        proxy.release()
        #expect(proxy.waitUntil(links: 1))
        guard case .failure(let fault) = answer, fault.kind == .unknown else {
            try check(pair, "k999999", id, answer, "held back")
            return false
        }
        // It was committed, and the key says so.
        let found = try pair.find("k999999")
        #expect(found.count == 2)
        #expect(try pair.submit("k999999", ending: id) == found.map { .duplicateKey($0) })
        try checkJournal(pair, 2)
        return true
    }

    @Test("a COMMIT whose answer is cut is done, and its caller gets the numbers")
    func answerCut() throws {
        let pair = try pair()
        let whole = try measure(pair)
        let id = try pair.launch()
        proxy.set(.cut(.fromServer, after: whole.received - 1))
        let answer = Result { () throws(StoreFault) in try pair.submit("k999999", ending: id) }
        #expect(throws: Never.self) { try answer.get() }
        try check(pair, "k999999", id, answer, "its answer was cut")
        try checkJournal(pair, 2)
    }

    @Test(
        "a server that stops answering is given up in time, and what was under way is found out",
        arguments: [0, 0.5, 1])
    func halfOpen(_ part: Double) throws {
        let pair = try pair(answerLimit: 500_000_000)
        let whole = try measure(pair)
        let (trip, commit) = (try #require(whole.lastTrip), try #require(whole.commit))
        let id = try pair.launch()
        // The answers of the first round trip pass.
        proxy.set(.swallow(.toServer, after: trip + 1 + Int(Double(commit - trip - 1) * part)))
        let begun = ContinuousClock.now
        let answer = Result { () throws(StoreFault) in try pair.submit("k999999", ending: id) }
        #expect(begun.duration(to: .now) < Self.inTime)
        try check(pair, "k999999", id, answer, "swallowed")
        try checkJournal(pair, 2)
    }

    @Test("a COMMIT whose answer is swallowed is done, and its caller gets the numbers")
    func swallowedAnswer() throws {
        let pair = try pair(answerLimit: 500_000_000)
        let whole = try measure(pair)
        let id = try pair.launch()
        proxy.set(.swallow(.fromServer, after: whole.received - 1))
        let answer = Result { () throws(StoreFault) in try pair.submit("k999999", ending: id) }
        #expect(throws: Never.self) { try answer.get() }
        try check(pair, "k999999", id, answer, "its answer was swallowed")
    }

    @Test("a server that answers nothing at all is unreachable, in time")
    func silent() throws {
        let store = try PostgresStore.open(
            PostgresAddress(proxy.url(schema: schema, "&connect_timeout=2")), creates: false,
            answerLimit: 300_000_000)
        proxy.setSilent(true)
        // First its connection does not answer, and then no other one is made.
        for _ in 0..<2 {
            let begun = ContinuousClock.now
            #expect {
                try store.read { store throws(StoreFault) in try store.value("x") }
            } throws: {
                ($0 as? StoreFault)?.kind == .unreachable
            }
            #expect(begun.duration(to: .now) < Self.inTime)
        }
        proxy.setSilent(false)
        #expect(try store.read { store throws(StoreFault) in try store.value("x") } == nil)
    }

    @Test("the proxy leaves no socket behind")
    func proxyEnds() throws {
        func sockets(_ place: String) throws -> Int {
            try String(contentsOfFile: "/proc/net/unix", encoding: .utf8).split(separator: "\n")
                .count { $0.contains(place) }
        }
        var place = ""
        var stores: [PostgresStore] = []
        do {
            let proxy = try CutProxy(to: server)
            let address = try PostgresAddress(proxy.url(schema: schema))
            place = try #require(address.parameters["host"])
            for _ in 0..<4 { stores.append(try PostgresStore.open(address, creates: false)) }
            // One does not end by itself.
            proxy.set(.swallow(.toServer, after: 0))
            #expect(proxy.accepted == 4)
            #expect(try sockets(place) > 0)
        }
        #expect(try sockets(place) == 0)
        for store in stores {
            #expect(throws: StoreFault.self) { try store.dataVersion() }
        }
    }
}
