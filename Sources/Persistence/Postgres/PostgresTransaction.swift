// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The operations between BEGIN and COMMIT of a connection.
///
/// What is written is gathered, and sent together before something else is read, and with the commit. In a
/// transaction that writes, each request that is read is locked until its end, because another host could
/// change it meanwhile.
final class PostgresTransaction: StoreTransaction {
    let connection: PostgresConnection
    var path: String { connection.address.text }
    private(set) var mayWrite = false
    /// The number of this transaction's turn; nil before the server has said.
    private var turn: PostgresAnswer?
    /// The entries of the turn that were sent.
    private var sentEntries = 0
    /// The number of the host that writes; nil for a client.
    let host: Int64?
    /// The host that has entered the store in this transaction.
    var entered: Int64?
    /// Whether that is still a host.
    private var fence: PostgresAnswer?
    /// The turns that it has ended.
    private(set) var turnCount: Int64 = 0

    /// Requests that this transaction has read and locked, or written.
    var seen: [RequestID: Request] = [:]
    /// Payloads that this transaction has read or written.
    var payloads: [RequestID: [UInt8]] = [:]
    /// Requests of a queue that are locked to be launched, in order.
    private var claims: [RequestQueue: [RequestID]] = [:]
    /// The locks that this transaction has taken, besides those of rows.
    private var locks: Set<Lock> = []
    /// Numbers for requests that are submitted.
    private var numbers: [RequestID] = []

    // What is gathered.
    private var inserted: [RequestID] = []
    private var updated: Set<RequestID> = []
    private var redescribed: Set<RequestID> = []
    var attempts: [AttemptKey: Attempt] = [:]
    var ends: [AttemptKey: (end: AttemptEnd, date: Int64)] = [:]
    private var entries: [JournalEntry] = []

    struct AttemptKey: Hashable {
        let request: RequestID
        let launch: UInt64
    }

    /// What only one transaction at a time may look at and change.
    private enum Lock: Hashable {
        /// The requests of an identifier, where one depends on the others: by a key, or by what is pending.
        case identifier(Int32)
        /// The number of pending requests where there is a limit.
        case count(Int32)
    }

    /// Requests of one queue that are claimed at a time.
    private static let claimSize: Int64 = 64
    /// The most that is counted exactly.
    private static let countLimit = 10_000

    init(_ connection: PostgresConnection, host: Int64? = nil) {
        self.connection = connection
        self.host = host
    }

    // MARK: Beginning and ending

    func begin(writing: Bool) throws(StoreFault) {
        if !writing { try giveNumbers() }
        try connection.send(writing ? .begin : .beginReading)
        if connection.address.isPooled {
            try connection.send(.turnSettings) { $0.put(connection.address.schema) }
        }
        mayWrite = writing
        turn = writing ? try connection.send(.newTurn) : nil
        sentEntries = 0
        guard writing, let host else { return }
        fence = try connection.send(.fence) { $0.put(host) }
    }

    /// Numbers the entries that were committed, in a transaction of its own.
    private func giveNumbers() throws(StoreFault) {
        try connection.send(.begin)
        if connection.address.isPooled {
            try connection.send(.turnSettings) { $0.put(connection.address.schema) }
        }
        try connection.send(.lockNumbers)
        try connection.send(.giveNumbers)
        try connection.send(.commit)
    }

    /// The number of the turn; throws where the server has not given it.
    func number() throws(StoreFault) -> Int64 {
        guard let turn else { fatalError("a transaction that only reads has no turn") }
        if turn.count == 0 {
            try connection.sync()
            try checkFence()
        }
        return turn[0].integer(0)
    }

    /// Throws if others have taken this host for dead.
    private func checkFence() throws(StoreFault) {
        guard let fence else { return }
        self.fence = nil
        guard fence.count == 0 else { return }
        throw StoreFault(
            .fenced,
            "\(path): this host was silent for too long, and others have taken over its requests")
    }

    func commit() throws(StoreFault) {
        if mayWrite { try endTurn() }
        try connection.send(.commit)
        try connection.sync()
        mayWrite = false
    }

    /// Sends what is left, with the row that proves that it was committed.
    private func endTurn() throws(StoreFault) {
        try flush()
        let number = try number()
        try connection.send(.endTurn) {
            $0.put(number)
            $0.put(Int64(sentEntries))
        }
        turnCount += 1
    }

    func rollBack() {
        mayWrite = false
        guard !connection.isBroken else { return }
        // What was sent and not answered yet may be at fault, too.
        try? connection.sync()
        guard !connection.isBroken, (try? connection.send(.rollback)) != nil else { return }
        try? connection.sync()
    }

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try flush()
        try connection.send(.save)
        // Its turn may end inside, which is taken back then, too.
        let before = (turn, sentEntries, turnCount)
        do {
            let result = try body()
            try flush()
            try connection.send(.release)
            return result
        } catch {
            forget()
            (turn, sentEntries, turnCount) = before
            if !connection.isBroken {
                try? connection.sync()
                try connection.send(.rollbackToSaved)
                try connection.send(.release)
                try connection.sync()
            }
            throw error
        }
    }

    /// Drops what is gathered and known.
    private func forget() {
        seen = [:]
        payloads = [:]
        claims = [:]
        // Those that were taken inside are gone.
        locks = []
        inserted = []
        updated = []
        redescribed = []
        attempts = [:]
        ends = [:]
        entries = []
    }

    // MARK: Statements

    /// Sends what is gathered.
    func flush() throws(StoreFault) {
        try flushRequests()
        if !attempts.isEmpty {
            let columns = PostgresColumns(width: PostgresSchema.attempt.count)
            for attempt in attempts.values { AttemptRow.put(attempt, to: columns) }
            try connection.send(.putAttempts) { $0.put(columns) }
            attempts = [:]
        }
        if !ends.isEmpty {
            let columns = PostgresColumns(width: PostgresSchema.attemptEnd.count)
            for (key, end) in ends {
                columns.put(Int64(bitPattern: key.request.rawValue))
                columns.put(Int64(clamping: key.launch))
                columns.put(end.date)
                AttemptRow.put(end.end, to: columns)
            }
            try connection.send(.endAttempts) { $0.put(columns) }
            ends = [:]
        }
        guard !entries.isEmpty else { return }
        let columns = PostgresColumns(width: PostgresSchema.entry.count)
        for entry in entries { JournalRow.put(entry, to: columns) }
        let number = try number()
        try connection.send(.append) {
            $0.put(number)
            $0.put(Int64(sentEntries))
            $0.put(columns)
        }
        sentEntries += entries.count
        entries = []
    }

    private func flushRequests() throws(StoreFault) {
        if !inserted.isEmpty {
            let columns = PostgresColumns(width: RequestRow.count)
            for id in inserted {
                let request = seen[id]!
                columns.put(Int64(bitPattern: id.rawValue))
                RequestRow.putDescribed(request, to: columns)
                RequestRow.putChanging(request, to: columns)
                if let payload = payloads[id], !payload.isEmpty {
                    columns.put(payload)
                } else {
                    columns.putNothing()
                }
                updated.remove(id)
                redescribed.remove(id)
            }
            try connection.send(.insertRequests) { $0.put(columns) }
            inserted = []
        }
        if !redescribed.isEmpty {
            let columns = PostgresColumns(width: RequestRow.count - 1)
            for id in redescribed.sorted() {
                columns.put(Int64(bitPattern: id.rawValue))
                RequestRow.putDescribed(seen[id]!, to: columns)
                RequestRow.putChanging(seen[id]!, to: columns)
                updated.remove(id)
            }
            try connection.send(.redescribeRequests) { $0.put(columns) }
            redescribed = []
        }
        guard !updated.isEmpty else { return }
        let columns = PostgresColumns(width: PostgresSchema.changing.count + 1)
        for id in updated.sorted() {
            columns.put(Int64(bitPattern: id.rawValue))
            RequestRow.putChanging(seen[id]!, to: columns)
        }
        try connection.send(.updateRequests) { $0.put(columns) }
        updated = []
    }

    /// Asks after all that was written before, and returns the answer.
    func ask(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> PostgresAnswer {
        try flush()
        let answer = try connection.send(query, put)
        try connection.sync()
        try checkFence()
        return answer
    }

    /// Sends a statement that changes something, after all that was written before.
    func change(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void
    ) throws(StoreFault) {
        checkMayWrite()
        try flush()
        try connection.send(query, put)
    }

    func checkMayWrite() {
        guard mayWrite else { fatalError("a store was changed while it was only read") }
    }

    func ask(
        number query: PostgresQuery, _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> Int64? {
        let answer = try ask(query, put)
        return answer.count > 0 && !answer[0].isNull(0) ? answer[0].integer(0) : nil
    }

    /// Asks for requests, of which those that this transaction knows are as it knows them.
    func list(
        _ query: PostgresQuery, locking: PostgresQuery? = nil,
        _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> [Request] {
        let isLocked = mayWrite && locking != nil
        let answer = try ask(isLocked ? locking! : query, put)
        var requests: [Request] = []
        for row in answer.rows {
            let request = try RequestRow.request(at: row, in: path)
            if isLocked { seen[request.id] = request }
            requests.append(request)
        }
        return requests
    }

    // MARK: Locks

    /// Keeps other transactions that write from depending on the requests of an identifier until the end of this one.
    func lock(_ identifier: String) throws(StoreFault) {
        let key = Self.hash(identifier)
        guard mayWrite, locks.insert(.identifier(key)).inserted else { return }
        try connection.send(.lockIdentifiers) { $0.put("{\(key)}") }
    }

    private func lockCount(_ name: String) throws(StoreFault) {
        let key = Self.hash(name)
        guard mayWrite, locks.insert(.count(key)).inserted else { return }
        try connection.send(.lockScope) { $0.put(Int64(key)) }
    }

    /// FNV-1a. Two names with the same hash wait for each other, and no more.
    private static func hash(_ text: String) -> Int32 {
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int32(bitPattern: hash)
    }

    // MARK: Requests

    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID {
        checkMayWrite()
        var request = request
        request.id = try newNumber()
        seen[request.id] = request
        payloads[request.id] = payload
        inserted.append(request.id)
        return request.id
    }

    private func newNumber() throws(StoreFault) -> RequestID {
        if numbers.isEmpty {
            let answer = try connection.send(.newRequests) { $0.put(Int64(1)) }
            try connection.sync()
            try checkFence()
            // The last one goes out first.
            numbers = answer.rows.map { RequestID(rawValue: UInt64($0.integer(0))) }.reversed()
        }
        return numbers.removeLast()
    }

    func request(_ id: RequestID) throws(StoreFault) -> Request? {
        if let known = seen[id] { return known }
        guard let number = Int64(exactly: id.rawValue) else { return nil }
        return try list(.request, locking: .lockRequest) { $0.put(number) }.first
    }

    func payload(of id: RequestID) throws(StoreFault) -> [UInt8] {
        if let payload = payloads[id] { return payload }
        guard let number = Int64(exactly: id.rawValue) else { return [] }
        let answer = try ask(.payload) { $0.put(number) }
        return answer.count > 0 ? answer[0].bytes(0) : []
    }

    func update(_ request: Request) throws(StoreFault) {
        checkMayWrite()
        guard try self.request(request.id) != nil else { return }
        seen[request.id] = request
        updated.insert(request.id)
    }

    func redescribe(_ request: Request) throws(StoreFault) {
        checkMayWrite()
        guard try self.request(request.id) != nil else { return }
        seen[request.id] = request
        redescribed.insert(request.id)
    }

    func setPayload(_ payload: [UInt8], of id: RequestID) throws(StoreFault) {
        guard try request(id) != nil else { return }
        try change(.setPayload) {
            if payload.isEmpty { $0.putNothing() } else { $0.put(payload) }
            $0.put(Int64(payload.count))
            $0.put(Int64(bitPattern: id.rawValue))
        }
        payloads[id] = payload
        seen[id]?.payloadBytes = payload.count
    }

    func claim(
        _ id: RequestID, of queue: RequestQueue, at date: Int64
    ) throws(StoreFault) -> RequestID? {
        while let next = claims[queue]?.first {
            claims[queue]!.removeFirst()
            if let known = seen[next], known.state == .pending, known.queue == queue,
                known.notBefore <= date
            {
                return next
            }
        }
        claims[queue] = nil
        let answer = try ask(.claim) {
            $0.put(queue)
            $0.put(date)
            $0.put(Self.claimSize)
        }
        var claimed: [RequestID] = []
        for row in answer.rows {
            let request = try RequestRow.request(at: row, in: path)
            seen[request.id] = request
            payloads[request.id] = row.bytes(Int32(RequestRow.count - 1))
            claimed.append(request.id)
        }
        guard !claimed.isEmpty else { return nil }
        claims[queue] = Array(claimed.dropFirst())
        return claimed[0]
    }

    // MARK: Counting

    func pendingCount(_ scope: PendingScope, atMost limit: Int) throws(StoreFault) -> Int {
        let most = Int64(min(limit, Self.countLimit))
        let count: Int64?
        switch scope {
        case .kind(let kind):
            try lockCount("kind \(kind.rawValue)")
            count = try ask(number: .countKind) {
                $0.put(Int64(kind.rawValue))
                $0.put(most)
            }
        case .identifier(let identifier):
            try lock(identifier)
            count = try ask(number: .countIdentifier) {
                $0.put(identifier)
                $0.put(most)
            }
        case .owner(let user):
            try lockCount("owner \(user)")
            count = try ask(number: .countOwner) {
                $0.put(Int64(user))
                $0.put(most)
            }
        case .all: count = try ask(number: .countAll) { $0.put(most) }
        }
        return Int(count ?? 0)
    }

    // MARK: Journal

    func append(_ entry: JournalEntry) throws(StoreFault) {
        checkMayWrite()
        entries.append(entry)
    }

    /// Gives numbers to the entries of this transaction, before it reads them. Its further ones belong to
    /// another turn.
    func numberOwnEntries() throws(StoreFault) {
        guard mayWrite else { return }
        try endTurn()
        try connection.send(.lockNumbers)
        try connection.send(.giveNumbers)
        turn = try connection.send(.newTurn)
        sentEntries = 0
    }
}

extension PostgresValues {
    func put(_ queue: RequestQueue) {
        put(queue.identifier)
        put(Int64(queue.kind.rawValue))
        put(Int64(queue.needs.rawValue))
        put(Int64(queue.priority.rawValue))
        put(Int64(queue.opportunistic.rawValue))
        put(Int64(bitPattern: queue.atMost))
    }
}
