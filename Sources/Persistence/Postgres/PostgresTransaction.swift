// SPDX-License-Identifier: Apache-2.0
internal import CSystem
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
    /// Whether BEGIN was sent. Until then what was sent is a transaction up to the next wait, which commits it: one that
    /// has a single round trip needs neither BEGIN nor COMMIT.
    private var isOpen = false
    /// Whether it changes anything: one that only looks has no turn.
    private(set) var hasWritten = false
    /// The number of this transaction's turn, if it was drawn ahead; else `turn` has it.
    private var ownNumber: Int64?
    private var turn: PostgresAnswer?
    let drawn: PostgresNumbers
    /// The entries of the turn that were sent.
    private var sentEntries = 0
    /// The number of the host that writes; nil for a client.
    let host: Int64?
    /// The host that has entered the store in this transaction.
    var entered: Int64?
    /// The turns that it has ended.
    private(set) var turnCount: Int64 = 0

    /// Requests that this transaction has read and locked, or written.
    var seen: [RequestID: Request] = [:]
    /// Payloads that this transaction has read or written.
    var payloads: [RequestID: [UInt8]] = [:]
    /// Requests that it has read without a lock, as they were then.
    private var listed: [RequestID: Request] = [:]
    /// Requests that it has written.
    private var touched: Set<RequestID> = []
    /// Requests that it has written or claimed, and that are pending as far as it knows.
    private var waiting: Set<RequestID> = []
    /// The numbers of running requests of identifiers, whose locks this transaction has.
    private var runningCounts: [String: Int] = [:]
    /// What is known of queues of which requests are launched.
    private var claims: [RequestQueue: Claims] = [:]
    /// The last request of each queue that was given out in order.
    private var taken: [RequestQueue: RequestHead] = [:]
    private let floors: PostgresFloors
    /// What the commit adds to roll-ups.
    var counting = RollupBuffer()
    let named: RollupNames
    /// CLOCK_MONOTONIC.
    private let begun = csys_monotonic_ns()
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

    /// Requests of a queue that are locked to be launched.
    private struct Claims {
        /// In order.
        var ids: [RequestID]
        /// Whether there may be more that are due and not locked by others.
        var mayHaveMore: Bool
        /// The first one that is not due yet.
        var later: RequestHead?
        /// Whether requests before a floor were left out. Where a host has put one there meanwhile, its notice has this
        /// one look.
        var isPart: Bool

        /// Whether nothing is known of what comes next.
        var isUsedUp: Bool { ids.isEmpty && mayHaveMore }
    }

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
    private static let claimSize = 64

    /// - Parameters:
    ///   - host: the number of the host that writes; nil for a client.
    ///   - counts: the numbers of pending requests that the transactions before knew.
    ///   - floors: of the queues, which are raised by a commit.
    ///   - drawn: numbers that were drawn ahead.
    ///   - named: the identifiers whose roll-ups are told apart.
    init(
        _ connection: PostgresConnection, host: Int64? = nil,
        counts: PendingCounts = PendingCounts(), floors: PostgresFloors = PostgresFloors(),
        drawn: PostgresNumbers = PostgresNumbers(), named: RollupNames = RollupNames()
    ) {
        self.named = named
        self.connection = connection
        self.floors = floors
        self.drawn = drawn
        self.host = host
        self.counts = counts
        self.counts.begin(at: begun)
    }

    private(set) var counts: PendingCounts

    // MARK: Beginning and ending

    func begin(writing: Bool, expecting outlook: Outlook = Outlook()) throws(StoreFault) {
        try connection.planAnew()
        if !writing { try giveNumbers() }
        mayWrite = writing
        if !writing {
            isOpen = true
            try connection.send(.beginReading)
        } else if !outlook.isEmpty || connection.address.isPooled {
            try open()
        }
        if connection.address.isPooled {
            try connection.send(.turnSettings) { $0.put(connection.address.schema) }
        }
        guard writing else { return }
        drawn.beginTurn()
        try beginTurn()
        if let host { try connection.send(.fence) { $0.put(host) } }
        if !outlook.isEmpty { try ask(outlook) }
    }

    /// Keeps what was sent, and what will be, from being committed by a wait.
    private func open() throws(StoreFault) {
        guard !isOpen else { return }
        isOpen = true
        try connection.send(.begin)
    }

    /// Waits for the answers to all that was sent.
    private func sync() throws(StoreFault) {
        try open()
        try connection.sync()
    }

    private func beginTurn() throws(StoreFault) {
        sentEntries = 0
        // Behind a pooler the server says, too, which transaction it is.
        ownNumber = connection.address.isPooled ? nil : drawn.nextTurn()
        turn = ownNumber == nil ? try connection.send(.newTurn) : nil
    }

    /// Asks for all that is foreseen, in one round trip.
    private func ask(_ outlook: Outlook) throws(StoreFault) {
        var newNumbers: PostgresAnswer?
        if outlook.submissions > drawn.requestCount {
            newNumbers = try connection.send(.newRequests) { $0.put(Int64(outlook.submissions)) }
        }
        let begun = csys_monotonic_ns()
        let most = outlook.submissions > 0 ? counts.due : nil
        let pending = try most.map { (most) throws(StoreFault) in
            try connection.send(.countAll) { $0.put(Int64(most)) }
        }
        var given: PostgresAnswer?
        if !outlook.requests.isEmpty {
            let ids = outlook.requests.sorted().map { "\(Int64(clamping: $0.rawValue))" }
            given = try connection.send(.lockGiven) {
                $0.put("{\(ids.joined(separator: ","))}")
            }
        }
        var running: [(identifier: String, count: PostgresAnswer)] = []
        // In one order for all, and before what they guard is read.
        let limited = Set(outlook.claims.lazy.filter(\.isLimited).map(\.queue.identifier)).sorted()
        if !limited.isEmpty {
            let keys = limited.map(Self.hash)
            for key in keys { locks.insert(.identifier(key)) }
            try connection.send(.lockIdentifiers) {
                $0.put("{\(keys.map { "\($0)" }.joined(separator: ","))}")
            }
        }
        for identifier in limited {
            running.append(
                (identifier, try connection.send(.countRunningOf) { $0.put(identifier) }))
        }
        var claimed: [(claim: Outlook.Claim, rows: PostgresAnswer, later: PostgresAnswer)] = []
        for claim in outlook.claims {
            // One more is the first that is left.
            let rows = try send(claim.queue, outlook.date, claim.count + 1)
            let later = try connection.send(.headAfter) {
                $0.put(claim.queue)
                $0.put(outlook.date)
            }
            claimed.append((claim, rows, later))
        }
        guard
            newNumbers != nil || pending != nil || given != nil || !running.isEmpty
                || !claimed.isEmpty
        else { return }
        try sync()
        if let newNumbers { numbers = Self.numbers(in: newNumbers).reversed() }
        if let pending, let most {
            counts.set(
                Int(pending[0].integer(0)), in: .all, atMost: most,
                counted: begun..<csys_monotonic_ns())
        }
        for row in given.map({ Array($0.rows) }) ?? [] {
            let request = try RequestRow.request(at: row, in: path)
            seen[request.id] = request
        }
        for (identifier, count) in running {
            runningCounts[identifier] = Int(count[0].integer(0))
        }
        for (claim, rows, later) in claimed {
            claims[claim.queue] = Claims(
                ids: try take(claimed: rows), mayHaveMore: rows.count > claim.count,
                later: try head(in: later), isPart: floor(of: claim.queue) != nil)
        }
    }

    private static func numbers(in answer: PostgresAnswer) -> [RequestID] {
        answer.rows.map { RequestID(rawValue: UInt64($0.integer(0))) }
    }

    private func take(claimed answer: PostgresAnswer) throws(StoreFault) -> [RequestID] {
        var ids: [RequestID] = []
        for row in answer.rows {
            let request = try RequestRow.request(at: row, in: path)
            seen[request.id] = request
            payloads[request.id] = row.bytes(Int32(RequestRow.count - 1))
            ids.append(request.id)
        }
        return ids
    }

    /// The first row of an answer, as a head; nil without one.
    func head(in answer: PostgresAnswer) throws(StoreFault) -> RequestHead? {
        guard answer.count > 0 else { return nil }
        var row = RowReader(answer[0], of: "request", id: answer[0].integer(0), in: path)
        return RequestHead(
            id: RequestID(rawValue: UInt64(try row.integer(1 ... .max))),
            notBefore: try row.date())
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
        if let ownNumber { return ownNumber }
        guard let turn else { fatalError("a transaction that only reads has no turn") }
        if turn.count == 0 { try sync() }
        return turn[0].integer(0)
    }

    /// The process of the server that executes the transaction, and when its session began, in microseconds since 1970;
    /// behind a pooler when the transaction began there, once there is a number.
    var session: (process: Int64, begun: Int64) {
        connection.session ?? turn.map { ($0[0].integer(1), $0[0].integer(2)) } ?? (0, 0)
    }

    func commit() throws(StoreFault) {
        var (turns, requests): (PostgresAnswer?, PostgresAnswer?)
        if mayWrite {
            try endTurn()
            // In this transaction, since numbers of their own would have to be written through, too.
            let wanted = (turns: drawn.turnsWanted, requests: drawn.requestsWanted)
            if wanted.turns > 0, !connection.address.isPooled {
                turns = try connection.send(.newTurns) { $0.put(Int64(wanted.turns)) }
            }
            if wanted.requests > 0 {
                requests = try connection.send(.newRequests) { $0.put(Int64(wanted.requests)) }
            }
        }
        if isOpen { try connection.send(.commit) }
        try connection.sync()
        if mayWrite {
            drawn.committed(
                turns: turns.map { $0.rows.map { $0.integer(0) } } ?? [],
                requests: requests.map(Self.numbers(in:)) ?? [])
        }
        mayWrite = false
        for (queue, head) in taken where seen[head.id]?.state != .pending {
            floors.raise(queue, to: head, at: begun)
        }
    }

    /// Whether it keeps requests from others that it has not launched. They have to look again then: whoever found these
    /// locked has forgotten them.
    var hasClaimed: Bool { !waiting.isEmpty || claims.values.contains { !$0.ids.isEmpty } }

    /// Ends a transaction that was to write, and had nothing to: nobody waits for the disk, and no other host looks.
    func endLook() throws(StoreFault) {
        mayWrite = false
        try open()
        try connection.send(.rollback)
        try connection.sync()
    }

    /// Sends what is left, with the row that proves that it was committed.
    private func endTurn() throws(StoreFault) {
        try flush()
        try sendRollups()
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
        // Statements that were sent may fail, too. A transaction that is not open is not waited for: that would commit it.
        if isOpen { try? connection.sync() }
        guard !connection.isBroken, (try? open()) != nil,
            (try? connection.send(.rollback)) != nil
        else { return }
        try? connection.sync()
    }

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try open()
        try flush()
        try sendRollups()
        try connection.send(.save)
        // Its turn may end inside, which is taken back then, too.
        let before = (turn, ownNumber, sentEntries, turnCount, counts, counting)
        do {
            let result = try body()
            try flush()
            try sendRollups()
            try connection.send(.release)
            return result
        } catch {
            forget()
            (turn, ownNumber, sentEntries, turnCount, counts, counting) = before
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
        listed = [:]
        touched = []
        waiting = []
        payloads = [:]
        claims = [:]
        counting = RollupBuffer()
        // Those that were taken inside are gone.
        locks = []
        runningCounts = [:]
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
            try send(
                .putAttempt, .putAttempts, PostgresSchema.attempt, Array(attempts.values)
            ) { AttemptRow.put($0, to: $1) }
            attempts = [:]
        }
        if !ends.isEmpty {
            try send(
                .endAttempt, .endAttempts, PostgresSchema.attemptEnd, Array(ends)
            ) { ended, row in
                row.put(Int64(bitPattern: ended.key.request.rawValue))
                row.put(Int64(clamping: ended.key.launch))
                row.put(ended.value.date)
                AttemptRow.put(ended.value.end, to: row)
            }
            ends = [:]
        }
        guard !entries.isEmpty else { return }
        let number = try number()
        try send(.appendOne, .append, PostgresSchema.numberedEntry, Array(entries.enumerated())) {
            $1.put(number)
            $1.put(Int64(sentEntries + $0.offset))
            JournalRow.put($0.element, to: $1)
        }
        sentEntries += entries.count
        entries = []
    }

    private func flushRequests() throws(StoreFault) {
        if !inserted.isEmpty {
            try send(
                .insertRequest, .insertRequests, PostgresSchema.wholeRequest, inserted
            ) { id, row in
                let request = seen[id]!
                row.put(Int64(bitPattern: id.rawValue))
                RequestRow.putDescribed(request, to: row)
                RequestRow.putChanging(request, to: row)
                if let payload = payloads[id], !payload.isEmpty {
                    row.put(payload)
                } else {
                    row.putNothing()
                }
                updated.remove(id)
                redescribed.remove(id)
            }
            inserted = []
        }
        if !redescribed.isEmpty {
            try send(
                nil, .redescribeRequests, PostgresSchema.wholeRequest.dropLast(),
                redescribed.sorted()
            ) { id, row in
                row.put(Int64(bitPattern: id.rawValue))
                RequestRow.putDescribed(seen[id]!, to: row)
                RequestRow.putChanging(seen[id]!, to: row)
                updated.remove(id)
            }
            redescribed = []
        }
        guard !updated.isEmpty else { return }
        try send(
            .updateRequest, .updateRequests, PostgresSchema.id + PostgresSchema.changing,
            updated.sorted()
        ) { id, row in
            row.put(Int64(bitPattern: id.rawValue))
            RequestRow.putChanging(seen[id]!, to: row)
        }
        updated = []
    }

    /// The most rows of one statement.
    private static let mostRows = 1_024

    /// Sends rows, by a statement for one where there is one of them.
    private func send<Item>(
        _ one: PostgresQuery?, _ many: PostgresQuery, _ columns: [PostgresSchema.Column],
        _ items: [Item], _ put: (Item, PostgresRows) -> Void
    ) throws(StoreFault) {
        var rest = items[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.mostRows)
            rest = rest.dropFirst(part.count)
            if part.count == 1, let one {
                try connection.send(one) {
                    put(part[part.startIndex], PostgresRows(one: columns, of: $0))
                }
                continue
            }
            let rows = PostgresRows(columns, keys: many.keys)
            for item in part { put(item, rows) }
            try connection.send(many, rows)
        }
    }

    /// Asks after all that was written before, and returns the answer.
    func ask(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> PostgresAnswer {
        try flush()
        let answer = try connection.send(query, put)
        try sync()
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

    /// Call before anything is written, or gathered for it.
    func checkMayWrite() {
        hasWritten = true
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
            if isLocked {
                seen[request.id] = request
            } else if mayWrite, seen[request.id] == nil {
                listed[request.id] = request
            }
            requests.append(request)
        }
        return requests
    }

    // MARK: Locks

    func lockValue(_ name: String) throws(StoreFault) {
        // No identifier of a handler is like that.
        try lock("value " + name)
    }

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
        touch(request)
        payloads[request.id] = payload
        inserted.append(request.id)
        counts.change(from: nil, to: request)
        return request.id
    }

    private func touch(_ request: Request) {
        touched.insert(request.id)
        if request.state == .pending {
            waiting.insert(request.id)
            floors.lower(
                request.queue, to: RequestHead(id: request.id, notBefore: request.notBefore))
        } else {
            waiting.remove(request.id)
        }
    }

    private func newNumber() throws(StoreFault) -> RequestID {
        drawn.use()
        if let number = numbers.popLast() ?? drawn.nextRequest() { return number }
        let answer = try connection.send(.newRequests) { $0.put(Int64(1)) }
        try sync()
        return Self.numbers(in: answer)[0]
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
        guard try isThere(request.id) else { return }
        moved(request)
        seen[request.id] = request
        touch(request)
        updated.insert(request.id)
    }

    /// Locks a request that is about to be changed. Returns false if there is none.
    private func isThere(_ id: RequestID) throws(StoreFault) -> Bool {
        if seen[id] != nil { return true }
        let before = listed[id]
        guard let now = try request(id) else { return false }
        guard let before, before != now else { return true }
        throw StoreFault(
            .busy, "\(path): another host has changed request \(id) at the same time; try again")
    }

    func redescribe(_ request: Request) throws(StoreFault) {
        checkMayWrite()
        guard try isThere(request.id) else { return }
        moved(request)
        seen[request.id] = request
        touch(request)
        redescribed.insert(request.id)
    }

    func setPayload(_ payload: [UInt8], of id: RequestID) throws(StoreFault) {
        guard try isThere(id) else { return }
        try change(.setPayload) {
            if payload.isEmpty { $0.putNothing() } else { $0.put(payload) }
            $0.put(Int64(payload.count))
            $0.put(Int64(bitPattern: id.rawValue))
        }
        payloads[id] = payload
        seen[id]?.payloadBytes = payload.count
    }

    func runningCount(of identifier: String) throws(StoreFault) -> Int {
        if let known = runningCounts[identifier] { return known }
        try lock(identifier)
        let count = Int(try ask(number: .countRunningOf) { $0.put(identifier) } ?? 0)
        runningCounts[identifier] = count
        return count
    }

    /// Counts a request that comes to another state.
    private func moved(_ request: Request) {
        guard let before = seen[request.id], before.state != request.state else { return }
        let identifier = request.description.identifier
        if before.state == .running { runningCounts[identifier]? -= 1 }
        if request.state == .running { runningCounts[identifier]? += 1 }
        counts.change(from: before.state, to: request)
    }

    func claim(
        _ id: RequestID, of queue: RequestQueue, at date: Int64
    ) throws(StoreFault) -> RequestID? {
        // One that is locked already: of this transaction, or asked for ahead.
        if isDue(id, queue, date) {
            // More launches of the queue may follow, and each asks for the head.
            if claims[queue] == nil { try claimMore(of: queue, at: date) }
            if claims[queue]?.ids.first == id {
                claims[queue]!.ids.removeFirst()
                taken[queue] = RequestHead(id: id, notBefore: seen[id]!.notBefore)
            } else {
                claims[queue]?.ids.removeAll { $0 == id }
            }
            waiting.insert(id)
            return id
        }
        if let next = nextClaimed(of: queue, at: date) { return next }
        if let known = claims[queue], !known.mayHaveMore {
            guard known.isPart else { return nil }
            floors.drop(queue)
        }
        try claimMore(of: queue, at: date)
        if let next = nextClaimed(of: queue, at: date) { return next }
        guard claims[queue]?.isPart == true else { return nil }
        // There may be some before the floor.
        floors.drop(queue)
        try claimMore(of: queue, at: date)
        return nextClaimed(of: queue, at: date)
    }

    private func floor(of queue: RequestQueue) -> RequestHead? {
        floors.floor(of: queue, at: begun)
    }

    private func send(
        _ queue: RequestQueue, _ date: Int64, _ count: Int
    ) throws(StoreFault) -> PostgresAnswer {
        let floor = floor(of: queue)
        return try connection.send(.claim) {
            $0.put(queue)
            $0.put(date)
            $0.put(Int64(count))
            $0.put(floor?.notBefore ?? .min)
            $0.put(floor.map { Int64(bitPattern: $0.id.rawValue) } ?? 0)
        }
    }

    private func nextClaimed(of queue: RequestQueue, at date: Int64) -> RequestID? {
        while let next = claims[queue]?.ids.first {
            claims[queue]!.ids.removeFirst()
            guard isDue(next, queue, date) else { continue }
            taken[queue] = RequestHead(id: next, notBefore: seen[next]!.notBefore)
            waiting.insert(next)
            return next
        }
        return nil
    }

    /// Locks the first requests of a queue that are due and that nobody else has, and asks for the first one after them.
    private func claimMore(of queue: RequestQueue, at date: Int64) throws(StoreFault) {
        try flush()
        let answer = try send(queue, date, Self.claimSize)
        let later = try connection.send(.headAfter) {
            $0.put(queue)
            $0.put(date)
        }
        try sync()
        claims[queue] = Claims(
            ids: try take(claimed: answer), mayHaveMore: answer.count == Self.claimSize,
            later: try head(in: later), isPart: floor(of: queue) != nil)
    }

    private func isDue(_ id: RequestID, _ queue: RequestQueue, _ date: Int64) -> Bool {
        guard let known = seen[id] else { return false }
        return known.state == .pending && known.queue == queue && known.notBefore <= date
    }

    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead? {
        guard let known = claims[queue], !known.isUsedUp else {
            return try head(in: ask(.head) { $0.put(queue) })
        }
        // What was claimed is in order, but for what this transaction has changed, and that may come before what is due
        // later.
        var first = known.ids.first { !touched.contains($0) }.flatMap { head($0, of: queue) }
        for id in waiting {
            guard let one = head(id, of: queue) else { continue }
            if first.map({ one.isBefore($0) }) ?? true { first = one }
        }
        if let later = known.later, !touched.contains(later.id),
            first.map({ later.isBefore($0) }) ?? true
        {
            first = later
        }
        return first
    }

    /// Returns a request as a head of a queue; nil if it does not wait in that.
    private func head(_ id: RequestID, of queue: RequestQueue) -> RequestHead? {
        guard let request = seen[id], request.state == .pending, request.queue == queue else {
            return nil
        }
        return RequestHead(id: id, notBefore: request.notBefore)
    }

    // MARK: Counting

    func pendingCount(_ scope: PendingScope, atMost limit: Int) throws(StoreFault) -> Int {
        if let known = counts.number(in: scope, atMost: limit) { return min(known, limit) }
        // Not of all: too many transactions would wait for each other.
        if PendingCounts.isExact(limit) { try lock(scope) }
        let begun = csys_monotonic_ns()
        let most = Int64(limit)
        let count: Int64?
        switch scope {
        case .kind(let kind):
            count = try ask(number: .countKind) {
                $0.put(Int64(kind.rawValue))
                $0.put(most)
            }
        case .identifier(let identifier):
            count = try ask(number: .countIdentifier) {
                $0.put(identifier)
                $0.put(most)
            }
        case .owner(let user):
            count = try ask(number: .countOwner) {
                $0.put(Int64(user))
                $0.put(most)
            }
        case .all: count = try ask(number: .countAll) { $0.put(most) }
        }
        let number = Int(count ?? 0)
        counts.set(number, in: scope, atMost: limit, counted: begun..<csys_monotonic_ns())
        return number
    }

    private func lock(_ scope: PendingScope) throws(StoreFault) {
        switch scope {
        case .kind(let kind): try lockCount("kind \(kind.rawValue)")
        case .identifier(let identifier): try lock(identifier)
        case .owner(let user): try lockCount("owner \(user)")
        case .all: break
        }
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
        try beginTurn()
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
