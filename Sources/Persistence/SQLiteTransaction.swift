// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// What is done between BEGIN and COMMIT of a connection.
final class SQLiteTransaction: StoreTransaction {
    let connection: SQLiteConnection
    var path: String { connection.path }
    private var mayWrite = false
    /// SQLite gave the whole transaction up: what follows would be done outside of one.
    private var end: StoreFault?

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // MARK: Beginning and ending

    func begin(writing: Bool) throws(StoreFault) {
        guard !connection.isInTransaction else {
            fatalError("a transaction of a store was begun inside another one")
        }
        end = nil
        try connection.statement(writing ? .beginWriting : .begin).run()
        mayWrite = writing
    }

    func commit() throws(StoreFault) {
        if let end { throw end }
        try connection.statement(.commit).run()
        mayWrite = false
    }

    func rollBack() {
        mayWrite = false
        // After some errors SQLite has done it already.
        guard connection.isInTransaction else { return }
        try? connection.statement(.rollback).run()
        // No memory for that: the connection goes, and the transaction with it.
        if connection.isInTransaction { connection.distrust() }
    }

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try run(.save) { _ in }
        do {
            let result = try body()
            try run(.release) { _ in }
            return result
        } catch {
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

    /// The same with a look at each row.
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
            // What is at a row keeps the whole transaction from ending.
            defer { statement.reset() }
            values(statement)
            while try statement.step() { try row(statement) }
        } catch {
            if !connection.isInTransaction { end = error }
            throw error
        }
    }

    /// The same for statements that change something.
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

    private func list(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void
    ) throws(StoreFault) -> [Request] {
        var requests: [Request] = []
        try rows(query, values) { statement throws(StoreFault) in
            requests.append(try RequestRow.request(at: statement, in: path))
        }
        return requests
    }

    // MARK: Requests

    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID {
        try change(.insertRequest) {
            RequestRow.putDescribed(request, to: $0)
            RequestRow.putChanging(request, to: $0)
        }
        let id = connection.lastRow
        if !payload.isEmpty {
            try change(.insertPayload) {
                $0.put(id)
                $0.put(payload)
            }
        }
        return RequestID(rawValue: UInt64(id))
    }

    func request(_ id: RequestID) throws(StoreFault) -> Request? {
        try list(.request) { $0.put(id) }.first
    }

    func payload(of id: RequestID) throws(StoreFault) -> [UInt8] {
        var bytes: [UInt8] = []
        try rows(.payload, { $0.put(id) }) { statement throws(StoreFault) in
            bytes = statement.bytes(0)
        }
        return bytes
    }

    func update(_ request: Request) throws(StoreFault) {
        try change(.updateRequest) {
            RequestRow.putChanging(request, to: $0)
            $0.put(request.id)
        }
    }

    func pendingCount(_ kind: TaskKind) throws(StoreFault) -> Int {
        Int(try number(.pendingCount) { $0.put(Int64(kind.rawValue)) } ?? 0)
    }

    func live(_ identifier: String, limit: Int) throws(StoreFault) -> [Request] {
        try list(.live) {
            $0.put(identifier)
            $0.put(Int64(max(0, limit)))
        }
    }

    func find(key: String, of identifier: String) throws(StoreFault) -> Request? {
        try list(.find) {
            $0.put(identifier)
            $0.put(key)
        }.first
    }

    func queues() throws(StoreFault) -> [RequestQueue] {
        var queues: [RequestQueue] = []
        while let next = try queue(after: queues.last) { queues.append(next) }
        return queues
    }

    private func queue(after queue: RequestQueue?) throws(StoreFault) -> RequestQueue? {
        var next: RequestQueue?
        try rows(
            .nextQueue,
            {
                $0.put(queue?.identifier ?? "")
                $0.put(Int64(queue?.kind.rawValue ?? 0))
                $0.put(Int64(queue?.needs.rawValue ?? 0))
                $0.put(Int64(queue?.priority.rawValue ?? 0))
            }
        ) { statement throws(StoreFault) in
            // The id of the row is not in the index.
            var row = RowReader(statement, of: "request", id: 0, in: path)
            next = RequestQueue(
                identifier: try row.text(), kind: try row.choice(TaskKind.self),
                needs: RequestNeeds(rawValue: UInt8(try row.integer(0...255))),
                priority: try row.choice(RequestPriority.self))
        }
        return next
    }

    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead? {
        var head: RequestHead?
        try rows(
            .head,
            {
                $0.put(queue.identifier)
                $0.put(Int64(queue.kind.rawValue))
                $0.put(Int64(queue.needs.rawValue))
                $0.put(Int64(queue.priority.rawValue))
            }
        ) { statement throws(StoreFault) in
            var row = RowReader(statement, of: "request", id: statement.integer(0), in: path)
            head = RequestHead(
                id: RequestID(rawValue: UInt64(try row.integer(1 ... .max))),
                notBefore: try row.date())
        }
        return head
    }

    func firstToMiss() throws(StoreFault) -> Request? { try list(.firstToMiss) { _ in }.first }

    func running() throws(StoreFault) -> [Request] { try list(.running) { _ in } }

    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request] {
        try list(.requests) {
            $0.put(filter.after ?? RequestID(rawValue: 0))
            $0.put(filter.states.reduce(0) { $0 | 1 << Int64($1.rawValue) })
            $0.put(filter.identifier)
            $0.put(Int64(max(0, filter.limit)))
        }
    }
}

extension SQLiteStatement {
    /// One that no store has ever given is as good as any other that is not there.
    func put(_ id: RequestID) { put(Int64(clamping: id.rawValue)) }
}
