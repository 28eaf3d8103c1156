// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc
package import Scheduling

/// A store in a schema of a PostgreSQL database, which any number of hosts and clients share.
///
/// A store is used by one thread at a time, and has one connection, which is made again after it was lost.
package final class PostgresStore: RequestStore {
    private let address: PostgresAddress
    private let process: Int32
    package let clock: PostgresClock
    /// Nil while there is no connection.
    private var transaction: PostgresTransaction?
    /// The number of this host, once it has entered the store; nil for a client.
    private var host: Int64?
    private var counts = PendingCounts()
    let floors = PostgresFloors()
    private let drawn = PostgresNumbers()
    private let named = RollupNames()
    package private(set) var warning: String?
    /// Whether the tables are known to be of a version that this program knows.
    private var isChecked = true
    /// The number of the table `store` in the server, which is another one once the tables were made anew.
    private var tables: Int64?
    /// The turns of this store, which are no news to it.
    private var ownTurns: Int64 = 0
    private var turns = TurnWatch()
    /// CLOCK_MONOTONIC time from which it may be asked which turns are under way.
    private var nextAsking: UInt64 = 0
    /// Nanoseconds between two such questions.
    var askInterval: UInt64 = 500_000_000

    /// Nanoseconds within which it is found out whether a transaction was committed whose answer was lost.
    static let usualResolveLimit: UInt64 = 30_000_000_000
    private let answerLimit: UInt64
    private let resolveLimit: UInt64

    /// Opens a store.
    ///
    /// Throws `.absent` if there is none and `creates` is false; `.denied` if this user may not use it; `.newer` if a
    /// newer version of Curfew has made it; `.unreachable` if no server answers.
    ///
    /// - Parameters:
    ///   - creates: makes the tables where there are none.
    ///   - clock: gets the time of the server.
    package static func open(
        _ address: PostgresAddress, creates: Bool, clock: PostgresClock = PostgresClock()
    ) throws(StoreFault) -> PostgresStore {
        try open(
            address, creates: creates, clock: clock,
            answerLimit: PostgresConnection.usualAnswerLimit, resolveLimit: usualResolveLimit)
    }

    /// - Parameters:
    ///   - answerLimit: the nanoseconds in which the server answers.
    ///   - resolveLimit: the nanoseconds for finding out whether a transaction was committed.
    static func open(
        _ address: PostgresAddress, creates: Bool, clock: PostgresClock = PostgresClock(),
        answerLimit: UInt64, resolveLimit: UInt64 = usualResolveLimit
    ) throws(StoreFault) -> PostgresStore {
        let store = PostgresStore(address, clock, answerLimit, resolveLimit)
        let connection = try store.connect()
        try store.prepare(connection, creating: creates)
        store.transaction = PostgresTransaction(connection)
        return store
    }

    private init(
        _ address: PostgresAddress, _ clock: PostgresClock, _ answerLimit: UInt64,
        _ resolveLimit: UInt64
    ) {
        self.address = address
        self.clock = clock
        self.answerLimit = answerLimit
        self.resolveLimit = resolveLimit
        process = getpid()
    }

    private func connect() throws(StoreFault) -> PostgresConnection {
        try PostgresConnection.open(address, answerLimit: answerLimit)
    }

    deinit {
        // A forked child must not end its parent's session.
        if process != getpid(), let transaction { _ = Unmanaged.passRetained(transaction) }
    }

    // MARK: Tables

    /// Makes sure that there are tables that this version knows.
    private func prepare(
        _ connection: PostgresConnection, creating: Bool
    ) throws(StoreFault) {
        if try !Self.isThere(connection) {
            guard creating else { throw Self.absent(address) }
            try create(connection)
        }
        let asked = csys_monotonic_ns()
        let answer = try connection.send(
            text:
                "SELECT version, oldest, \(PostgresQuery.now), current_setting('fsync'), current_setting('full_page_writes'), tableoid::bigint FROM \(address.schema).store"
        )
        try connection.sync()
        let answered = csys_monotonic_ns()
        guard answer.count == 1 else {
            throw StoreFault(
                .corrupt,
                "the table \(address.schema).store of \(address.text) has \(answer.count) rows, and has to have one; restore a backup"
            )
        }
        let (version, oldest) = (answer[0].integer(0), answer[0].integer(1))
        clock.observe(answer[0].integer(2), from: asked, to: answered)
        warning = Self.warning(
            address,
            off: [(3, "fsync"), (4, "full_page_writes")].filter { answer[0].text($0.0) == "off" }
                .map(\.1))
        if version < PostgresSchema.version {
            throw StoreFault(
                .denied,
                "\(address.text) has tables of version \(version), and this Curfew needs version \(PostgresSchema.version): type `curfew db migrate`; hosts of the Curfew before go on meanwhile, and nothing was changed"
            )
        }
        if oldest > PostgresSchema.version { throw Self.newer(address, version, oldest) }
        let found = answer[0].integer(5)
        if let tables, tables != found {
            throw StoreFault(
                .gone,
                "the tables of \(address.text) were dropped and made again, or restored from a backup, while this program used them; nothing was changed, and requests that were acknowledged before are there only if the backup has them; start this program again to use these tables"
            )
        }
        tables = found
    }

    static func newer(
        _ address: PostgresAddress, _ version: Int64, _ oldest: Int64
    ) -> StoreFault {
        StoreFault(
            .newer,
            "\(address.text) has tables of version \(version), which need a Curfew that knows version \(oldest) or later, and this one knows \(PostgresSchema.version): install the Curfew that made them"
        )
    }

    /// - Parameter settings: those of the server that are off, without which a crash of its machine damages data.
    private static func warning(_ address: PostgresAddress, off settings: [String]) -> String? {
        guard !settings.isEmpty else { return nil }
        let text = settings.map { "\($0) = off" }.joined(separator: " and ")
        return
            "the server of \(address.text) has \(text): a crash of its machine may lose acknowledged requests or damage the database; set \(settings.joined(separator: " and ")) to on in its postgresql.conf"
    }

    static func absent(_ address: PostgresAddress) -> StoreFault {
        StoreFault(
            .absent,
            "there is no store in schema \(address.schema) of \(address.text); a host that starts with this URL makes it"
        )
    }

    static func isThere(_ connection: PostgresConnection) throws(StoreFault) -> Bool {
        // Not by to_regclass, which may not see what another session has just made.
        let answer = try connection.send(
            text:
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = '\(connection.address.schema)' AND tablename = 'store')"
        )
        try connection.sync()
        return answer[0].text(0) == "t"
    }

    /// Makes the tables, unless another program makes them at the same time.
    private func create(_ connection: PostgresConnection) throws(StoreFault) {
        try connection.send(text: "BEGIN")
        do throws(StoreFault) {
            try PostgresMigration.lock(connection)
            if try !Self.isThere(connection) {
                try connection.send(text: "CREATE SCHEMA IF NOT EXISTS \(address.schema)")
                for step in PostgresSchema.steps {
                    try PostgresMigration.take(step, connection)
                }
            }
            try connection.send(text: "COMMIT")
            try connection.sync()
        } catch {
            if !connection.isBroken {
                _ = try? connection.send(text: "ROLLBACK")
                try? connection.sync()
            }
            throw error
        }
    }

    // MARK: Transactions

    package var usesOutlook: Bool { true }

    /// The number of times that its connection waited for answers.
    var roundTrips: Int { transaction?.connection.roundTrips ?? 0 }

    package func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try write(expecting: Outlook(), body) }

    package func write<Result>(
        expecting outlook: Outlook,
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let transaction = try usable()
        do throws(StoreFault) {
            try transaction.begin(writing: true, expecting: outlook)
            let result = try body(transaction)
            guard transaction.hasWritten || transaction.hasClaimed else {
                try transaction.endLook()
                ownTurns += transaction.turnCount
                counts = transaction.counts
                return result
            }
            // Without it nobody could tell whether it was committed.
            let turn = try transaction.number()
            do throws(StoreFault) {
                try transaction.commit()
            } catch {
                guard transaction.connection.isBroken else { throw error }
                try resolve(turn, transaction.session, error)
            }
            ownTurns += transaction.turnCount
            host = transaction.entered ?? host
            counts = transaction.counts
            return result
        } catch {
            // It has to enter anew. The tables may have been changed since its last turn.
            if error.kind == .fenced {
                host = nil
                isChecked = false
            }
            floors.dropAll()
            leave(transaction)
            throw error
        }
    }

    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let transaction = try usable()
        defer { leave(transaction) }
        try transaction.begin(writing: false)
        return try body(transaction)
    }

    private func leave(_ transaction: PostgresTransaction) {
        transaction.rollBack()
        if transaction.connection.isBroken { self.transaction = nil }
    }

    /// Returns a transaction that has not begun: what another one knew is not known to it.
    private func usable() throws(StoreFault) -> PostgresTransaction {
        guard process == getpid() else {
            throw StoreFault(
                .denied,
                "the store \(address.text) was opened before fork(2), and a child cannot use its parent's: open it in the child"
            )
        }
        var connection = transaction?.connection
        // The server may have ended the session meanwhile. Noticed here it costs a connection; noticed after COMMIT was
        // sent, the outcome would have to be found out.
        if !(connection?.isStillOpen() ?? false) {
            transaction = nil
            drawn.drop()
            connection = try connect()
            isChecked = false
        }
        if !isChecked {
            try prepare(connection!, creating: false)
            isChecked = true
        }
        let next = PostgresTransaction(
            connection!, host: host, counts: counts, floors: floors, drawn: drawn, named: named)
        transaction = next
        return next
    }

    /// The connection broke after COMMIT was sent. Returns if the transaction was committed, and throws `fault` if it
    /// never can be; `.unknown` where that could not be found out.
    ///
    /// A row with the turn's own number is inserted. Where the transaction is still under way that waits for its
    /// end; where it was committed the row is there already; and where it was not, it cannot be any more.
    ///
    /// Its session is ended first if it waits for the rest of the statements: no time limit of the server's holds
    /// between statements that were sent together, so that it could wait, and keep its locks, as long as the network
    /// does not say that this side is gone.
    private func resolve(
        _ turn: Int64, _ session: (process: Int64, begun: Int64), _ fault: StoreFault
    ) throws(StoreFault) {
        let limit = csys_monotonic_ns() + resolveLimit
        var pause: UInt32 = 50_000
        while csys_monotonic_ns() < limit {
            do throws(StoreFault) {
                let connection = try connect()
                drawn.drop()
                transaction = PostgresTransaction(connection)
                if connection.address.isPooled {
                    try connection.send(.begin)
                    try connection.send(.turnSettings) { $0.put(address.schema) }
                }
                try connection.send(connection.address.isPooled ? .endTransaction : .endSession) {
                    $0.put(session.process)
                    $0.put(session.begun)
                }
                try connection.send(.tombstone) { $0.put(turn) }
                let answer = try connection.send(.turnEntries) { $0.put(turn) }
                if connection.address.isPooled { try connection.send(.commit) }
                try connection.sync()
                guard answer.count == 1, answer[0].integer(0) >= 0 else { throw fault }
                return
            } catch {
                if error == fault { throw fault }
                usleep(pause)
                pause = min(2 * pause, 1_000_000)
            }
        }
        throw StoreFault(
            .unknown,
            "\(fault.message); whether the last change was written could not be found out: submit with a key, and ask again with the same one"
        )
    }

    /// Tells the hosts of the store to look into it.
    package func wakeHosts() throws(StoreFault) {
        let connection = try usable().connection
        // It needs no table.
        _ = try connection.send(.notify) {
            $0.put(address.schema)
            // A person may have changed anything.
            $0.put(PostgresNotice.hosts.rawValue)
        }
        try connection.sync()
    }

    package func dataVersion() throws(StoreFault) -> Int64 {
        let connection = try usable().connection
        if address.isPooled {
            try connection.send(.begin)
            try connection.send(.turnSettings) { $0.put(address.schema) }
        }
        // The server locks its table of locks for the answer, so that it is not asked with each notice.
        let asks = !turns.isSettled && csys_monotonic_ns() >= nextAsking
        let last = try connection.send(.lastTurn)
        let underWay = asks ? try connection.send(.underWay) : nil
        if address.isPooled { try connection.send(.commit) }
        try connection.sync()
        let wasSettled = turns.isSettled
        turns.observe(
            turns: last[0].integer(0) - ownTurns,
            areUnderWay: underWay.map { $0[0].text(0) == "t" })
        if asks || wasSettled { nextAsking = csys_monotonic_ns() + askInterval }
        return turns.version
    }

    package var isSettled: Bool { turns.isSettled }
}
