// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The operations between BEGIN and COMMIT of a connection.
final class SQLiteTransaction: StoreTransaction {
    let connection: SQLiteConnection
    var path: String { connection.path }
    private var mayWrite = false
    /// The current counters; nil if this transaction has not read them yet.
    var counters: StoreCounters?
    /// The counters in the store.
    var storedCounters: StoreCounters?
    /// The entries that the commit adds to the journal.
    var appended: [JournalEntry] = []
    /// The counters after the last transaction, with the data version that it made.
    private var left: (version: UInt32, counters: StoreCounters)?
    /// Requests that this transaction has read or written, or those before it while no other
    /// connection has written.
    private var seen: [RequestID: Request] = [:]
    /// The payloads that this transaction has written.
    private var payloads: [RequestID: [UInt8]] = [:]
    private static let seenLimit = 1_024
    /// The numbers of pending requests of identifiers, as known as `seen`.
    private var pendingCounts: [String: Int] = [:]
    /// What the commit adds to roll-ups.
    var counting = RollupBuffer()
    /// Roll-ups as they are stored, as known as `seen`.
    var knownRollups: [RollupKey: Rollup] = [:]
    /// SQLite gave the whole transaction up: what follows would be done outside of one.
    private var end: StoreFault?

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // MARK: Beginning and ending

    func begin(writing: Bool) throws(StoreFault) {
        guard !connection.isInTransaction else {
            fatalError("a transaction of a store was begun inside another one")
        }
        end = nil
        counters = nil
        storedCounters = nil
        appended.removeAll()
        counting.reset()
        if !payloads.isEmpty { payloads.removeAll(keepingCapacity: true) }
        try connection.statement(writing ? .beginWriting : .begin).run()
        mayWrite = writing
        // Every writing transaction needs the counters, and mostly no other connection has written.
        guard writing, let left, left.version == connection.dataVersion else {
            forgetSeen()
            return
        }
        counters = left.counters
        storedCounters = left.counters
    }

    func commit() throws(StoreFault) {
        if let end { throw end }
        try writeRollups()
        try fileJournal()
        try writeJournal(isLast: true)
        try writeCounters()
        left = nil
        try connection.statement(.commit).run()
        mayWrite = false
        if let counters, let version = connection.dataVersion { left = (version, counters) }
        connection.shortenLog()
    }

    func rollBack() {
        mayWrite = false
        forgetSeen()
        // After some errors SQLite has done it already.
        guard connection.isInTransaction else { return }
        try? connection.statement(.rollback).run()
        // No memory for that: the connection goes, and the transaction with it.
        if connection.isInTransaction { connection.distrust() }
    }

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try writeJournal()
        try writeRollups()
        let before = (counters, counting)
        try run(.save) { _ in }
        do {
            let result = try body()
            try writeRollups()
            try run(.release) { _ in }
            return result
        } catch {
            (counters, counting) = before
            appended.removeAll()
            forgetSeen()
            if connection.isInTransaction {
                try run(.rollbackToSaved) { _ in }
                try run(.release) { _ in }
            }
            throw error
        }
    }

    // MARK: Statements

    /// Puts values into a statement and runs it to its end.
    func run(_ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void) throws(StoreFault) {
        try rows(query, values) { (_) throws(StoreFault) in }
    }

    /// Calls a function for each row.
    func rows(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void,
        _ row: (SQLiteStatement) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        if let end { throw end }
        guard connection.isInTransaction else {
            fatalError("a store's transaction was used outside of its call")
        }
        do {
            let statement = try connection.statement(query)
            // A statement that is at a row would keep the transaction from ending.
            defer { statement.reset() }
            values(statement)
            while try statement.step() { try row(statement) }
        } catch {
            if !connection.isInTransaction { end = error }
            throw error
        }
    }

    /// Executes a statement that changes something.
    func change(_ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void) throws(StoreFault) {
        guard mayWrite else { fatalError("a store was changed while it was only read") }
        try run(query, values)
    }

    func number(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void = { _ in }
    ) throws(StoreFault) -> Int64? {
        var number: Int64?
        try rows(query, values) { statement throws(StoreFault) in number = statement.integer(0) }
        return number
    }

    func list(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void
    ) throws(StoreFault) -> [Request] {
        var requests: [Request] = []
        try rows(query, values) { statement throws(StoreFault) in
            requests.append(try RequestRow.request(at: statement, in: path))
        }
        return requests
    }

    // MARK: Counters

    /// Has the counters read; they are in the store again with the commit.
    func counted() throws(StoreFault) -> StoreCounters {
        if let counters { return counters }
        for query in [SQLiteQuery.counters, .firstCounters] where counters == nil {
            try rows(query, { _ in }) { statement throws(StoreFault) in
                counters = try StoreCounters(at: statement, in: path)
            }
        }
        guard let counters else {
            throw StoreFault(
                .corrupt,
                "the store \(path) has lost its counters; run `\(StoreDirectory.check(ofDatabase: path))`, or restore a backup"
            )
        }
        storedCounters = counters
        return counters
    }

    /// Writes the changed counters that no entry could carry.
    private func writeCounters() throws(StoreFault) {
        guard let counters, counters != storedCounters else { return }
        for query in [SQLiteQuery.setCounters, .setFirstCounters] {
            try change(query) {
                counters.put(to: $0)
                $0.put(counters.lastEntry)
            }
            // The second where the journal has no entry.
            if connection.changes > 0 { break }
        }
        storedCounters = counters
    }

    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID {
        var counters = try counted()
        counters.lastRequest += 1
        counters.moved(request.description.kind, from: nil, to: request.state)
        moved(request.description.identifier, from: nil, to: request.state)
        let id = counters.lastRequest
        let isInline = payload.count <= RequestRow.inlinePayload
        try change(.insertRequest) {
            $0.put(id)
            RequestRow.putDescribed(request, to: $0)
            RequestRow.putChanging(request, to: $0)
            if isInline, !payload.isEmpty { $0.put(payload) } else { $0.putNothing() }
        }
        if !isInline {
            try change(.insertPayload) {
                $0.put(id)
                $0.put(payload)
            }
        }
        self.counters = counters
        var taken = request
        taken.id = RequestID(rawValue: UInt64(id))
        see(taken)
        if payloads.count < Self.seenLimit { payloads[taken.id] = payload }
        return taken.id
    }

    private func see(_ request: Request) {
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        seen[request.id] = request
    }

    func forgetSeen() {
        if !pendingCounts.isEmpty { pendingCounts.removeAll(keepingCapacity: true) }
        if !seen.isEmpty { seen.removeAll(keepingCapacity: true) }
        if !knownRollups.isEmpty { knownRollups.removeAll(keepingCapacity: true) }
        if !payloads.isEmpty { payloads.removeAll(keepingCapacity: true) }
    }

    func request(_ id: RequestID) throws(StoreFault) -> Request? {
        if let known = seen[id] { return known }
        var request: Request?
        try rows(.request, { $0.put(id) }) { statement throws(StoreFault) in
            request = try RequestRow.request(at: statement, in: path)
        }
        if let request { see(request) }
        return request
    }

    func payload(of id: RequestID) throws(StoreFault) -> [UInt8] {
        if let payload = payloads[id] { return payload }
        var bytes: [UInt8] = []
        var isElsewhere = false
        try rows(.payload, { $0.put(id) }) { statement throws(StoreFault) in
            isElsewhere = statement.isNull(0)
            bytes = statement.bytes(0)
        }
        guard isElsewhere else { return bytes }
        try rows(.longPayload, { $0.put(id) }) { statement throws(StoreFault) in
            bytes = statement.bytes(0)
        }
        return bytes
    }

    func update(_ request: Request) throws(StoreFault) {
        guard let before = try state(of: request.id) else { return }
        var counters = try counted()
        counters.moved(request.description.kind, from: before, to: request.state)
        moved(request.description.identifier, from: before, to: request.state)
        try change(.updateRequest) {
            RequestRow.putChanging(request, to: $0)
            $0.put(request.id)
        }
        self.counters = counters
        see(request)
    }

    func setPayload(_ payload: [UInt8], of id: RequestID) throws(StoreFault) {
        guard try state(of: id) != nil else { return }
        let isInline = payload.count <= RequestRow.inlinePayload
        try change(.setInlinePayload) {
            if isInline, !payload.isEmpty { $0.put(payload) } else { $0.putNothing() }
            $0.put(Int64(payload.count))
            $0.put(id)
        }
        try change(.removePayload) { $0.put(id) }
        if !isInline {
            try change(.insertPayload) {
                $0.put(id)
                $0.put(payload)
            }
        }
        payloads[id] = payloads.count < Self.seenLimit ? payload : nil
        seen[id]?.payloadBytes = payload.count
    }

    func redescribe(_ request: Request) throws(StoreFault) {
        guard let before = try state(of: request.id) else { return }
        var counters = try counted()
        counters.moved(request.description.kind, from: before, to: request.state)
        moved(request.description.identifier, from: before, to: request.state)
        try change(.redescribeRequest) {
            $0.put(request.id)
            RequestRow.putDescribed(request, to: $0)
            RequestRow.putChanging(request, to: $0)
        }
        self.counters = counters
        see(request)
    }

    /// Returns the state of a request; nil if it does not exist.
    func state(of id: RequestID) throws(StoreFault) -> RequestState? {
        if let known = seen[id] { return known.state }
        var state: RequestState?
        try rows(.state, { $0.put(id) }) { statement throws(StoreFault) in
            var row = RowReader(
                statement, of: "request", id: Int64(clamping: id.rawValue), in: path)
            state = try row.choice(RequestState.self)
        }
        return state
    }

    func pendingCount(_ scope: PendingScope, atMost limit: Int) throws(StoreFault) -> Int {
        let count =
            switch scope {
            case .kind(let kind): Int(try counted()[kind])
            case .identifier(let identifier): try pendingCount(of: identifier)
            case .owner(let user): Int(try number(.countOwned) { $0.put(Int64(user)) } ?? 0)
            case .all: Int(try counted().pending)
            }
        return min(count, limit)
    }

    private func pendingCount(of identifier: String) throws(StoreFault) -> Int {
        if let known = pendingCounts[identifier] { return known }
        let count = try number(.countLiveOf) {
            $0.put(Int64(RequestState.pending.rawValue))
            $0.put(identifier)
        }
        if pendingCounts.count >= Self.seenLimit { pendingCounts.removeAll(keepingCapacity: true) }
        pendingCounts[identifier] = Int(count ?? 0)
        return Int(count ?? 0)
    }

    /// Counts a request of an identifier that came to a state; `before` is nil for a new one.
    private func moved(
        _ identifier: String, from before: RequestState?, to state: RequestState
    ) {
        guard (before == .pending) != (state == .pending) else { return }
        pendingCounts[identifier]? += state == .pending ? 1 : -1
    }

    func pending(of identifier: String) throws(StoreFault) -> [Request] {
        try list(.pendingOf) { $0.put(identifier) }.sorted { $0.id < $1.id }
    }

    func firstPending(_ identifier: String) throws(StoreFault) -> RequestID? {
        try number(.firstPending) { $0.put(identifier) }.map { RequestID(rawValue: UInt64($0)) }
    }

    func ahead(of request: Request, limit: Int) throws(StoreFault) -> Int {
        var count = 0
        try rows(
            .ahead,
            {
                $0.put(request.queue)
                $0.put(request.notBefore)
                $0.put(request.id)
                $0.put(Int64(max(0, limit)))
            }
        ) { (_) throws(StoreFault) in count += 1 }
        return count
    }

    func find(
        key: String, of identifier: String, owner: UInt32?
    ) throws(StoreFault) -> Request? {
        try list(.find) {
            $0.put(identifier)
            $0.put(key)
            $0.put(owner.map { Int64($0) })
        }.first
    }

    func owned(by user: UInt32) throws(StoreFault) -> [Request] {
        try list(.owned) { $0.put(Int64(user)) }.sorted { $0.id < $1.id }
    }

    func queues(of identifier: String?, limit: Int) throws(StoreFault) -> [RequestQueue] {
        var queues: [RequestQueue] = []
        while queues.count < limit,
            let next = try queue(after: queues.last, from: identifier ?? ""),
            identifier == nil || next.identifier == identifier
        {
            queues.append(next)
        }
        return queues
    }

    /// The next one, or the first of an identifier or after it.
    private func queue(
        after queue: RequestQueue?, from identifier: String
    ) throws(StoreFault) -> RequestQueue? {
        var next: RequestQueue?
        try rows(
            .nextQueue,
            {
                if let queue { return $0.put(queue) }
                $0.put(identifier)
                for _ in 2...6 { $0.put(Int64(0)) }
            }
        ) { statement throws(StoreFault) in
            // The id of the row is not in the index.
            var row = RowReader(statement, of: "request", id: 0, in: path)
            next = RequestQueue(
                identifier: try row.text(), kind: try row.choice(TaskKind.self),
                needs: RequestNeeds(rawValue: UInt8(try row.integer(0...255))),
                priority: try row.choice(RequestPriority.self),
                opportunistic: try row.choice(RequestWish.self),
                atMost: UInt64(try row.integer(0 ... .max)))
        }
        return next
    }

    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead? {
        var head: RequestHead?
        try rows(
            .head,
            { $0.put(queue) }
        ) { statement throws(StoreFault) in
            var row = RowReader(statement, of: "request", id: statement.integer(0), in: path)
            head = RequestHead(
                id: RequestID(rawValue: UInt64(try row.integer(1 ... .max))),
                notBefore: try row.date())
        }
        return head
    }

    func firstToMiss() throws(StoreFault) -> Request? { try list(.firstToMiss) { _ in }.first }

    func running() throws(StoreFault) -> [Request] {
        try list(.running) { _ in }.sorted { $0.id < $1.id }
    }
}

extension SQLiteStatement {
    /// An id that no store ever issued is treated like any other missing one.
    func put(_ id: RequestID) { put(Int64(clamping: id.rawValue)) }

    func put(_ queue: RequestQueue) {
        put(queue.identifier)
        put(Int64(queue.kind.rawValue))
        put(Int64(queue.needs.rawValue))
        put(Int64(queue.priority.rawValue))
        put(Int64(queue.opportunistic.rawValue))
        put(Int64(bitPattern: queue.atMost))
    }
}
