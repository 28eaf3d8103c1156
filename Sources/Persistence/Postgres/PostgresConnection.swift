// SPDX-License-Identifier: Apache-2.0
internal import CPostgres
internal import CSystem
import Glibc
internal import Scheduling

/// A connection to the server of a store, in pipeline mode: statements are sent without waiting for each
/// other's answers, and `sync` waits for all of them.
///
/// It is used by one thread at a time. After a fault of the connection itself it `isBroken`, and stays so.
final class PostgresConnection {
    let address: PostgresAddress
    private let handle: OpaquePointer
    private(set) var isBroken = false
    /// The process of the server, and when the session was begun, in microseconds since 1970; nil behind a pooler.
    private(set) var session: (process: Int64, begun: Int64)?
    /// The statements that the server has prepared.
    private var prepared: Set<PostgresStatement> = []
    /// The most statements that are prepared of one query, besides that of which all columns differ.
    private static let mostForms = 16

    private enum Expected {
        case prepared(PostgresStatement)
        case answer(PostgresAnswer)

        var query: PostgresQuery? {
            switch self {
            case .prepared(let statement): statement.query
            case .answer(let answer): answer.query
            }
        }
    }

    /// CLOCK_MONOTONIC time of the next `planAnew` that does something.
    private var nextPlanning: UInt64
    /// Nanoseconds between two plannings, of which each is twice as long as the one before, up to a minute.
    private var planningPause: UInt64 = 1_000_000_000

    /// The number of times that answers were waited for: round trips.
    private(set) var roundTrips = 0
    /// What was sent since the last `sync`.
    private var expected: [Expected] = []

    /// Nanoseconds in which the server answers. It ends a statement itself after 30 s.
    static let usualAnswerLimit: UInt64 = 35_000_000_000
    private let answerLimit: UInt64
    /// The time on the clock of spans after which no answer is waited for, where that comes before the limit.
    var deadline: UInt64
    /// The version of the server that is needed at least.
    private static let leastVersion: Int32 = 150_000

    // MARK: Connecting

    /// Connects to the first server of the address that is there and takes writes.
    ///
    /// - Parameters:
    ///   - answerLimit: the nanoseconds in which the server answers.
    ///   - deadline: the time on the clock of spans after which nothing is waited for.
    static func open(
        _ address: PostgresAddress, answerLimit: UInt64 = usualAnswerLimit,
        until deadline: UInt64 = .max
    ) throws(StoreFault) -> PostgresConnection {
        if let fault = PostgresLibrary.fault { throw fault }
        var first: StoreFault?
        for parameters in servers(address.parameters) {
            do throws(StoreFault) {
                let connection = PostgresConnection(
                    try connect(parameters, address, until: deadline), address, answerLimit,
                    deadline)
                try connection.begin()
                return connection
            } catch {
                first = first ?? error
            }
        }
        throw first!
    }

    private init(
        _ handle: OpaquePointer, _ address: PostgresAddress, _ answerLimit: UInt64,
        _ deadline: UInt64
    ) {
        self.handle = handle
        self.address = address
        self.answerLimit = answerLimit
        self.deadline = deadline
        nextPlanning = csys_monotonic_ns() + planningPause
    }

    deinit { cpg_close(handle) }

    /// One set of parameters for each server: libpq would wait for one that does not answer, and not go on.
    private static func servers(_ parameters: [String: String]) -> [[String: String]] {
        let hosts = (parameters["host"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        guard hosts.count > 1 else { return [parameters] }
        let ports = (parameters["port"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        return hosts.indices.map { index in
            var one = parameters
            one["host"] = String(hosts[index])
            if ports.count == hosts.count {
                one["port"] = String(ports[index])
            } else if ports.count == 1, !ports[0].isEmpty {
                one["port"] = String(ports[0])
            }
            return one
        }
    }

    private static func connect(
        _ parameters: [String: String], _ address: PostgresAddress, until deadline: UInt64
    ) throws(StoreFault) -> OpaquePointer {
        let names = parameters.keys.sorted()
        var keywords = names.map { strdup($0) } + [nil]
        var values = names.map { strdup(parameters[$0]!) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let started = keywords.withUnsafeMutableBufferPointer { keywords in
            values.withUnsafeMutableBufferPointer { values in
                keywords.withMemoryRebound(to: UnsafePointer<CChar>?.self) { keywords in
                    values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
                        cpg_connect(keywords.baseAddress!, values.baseAddress!)
                    }
                }
            }
        }
        guard let handle = started else { throw PostgresFault.outOfMemory(address) }
        let seconds = parameters["connect_timeout"].flatMap { UInt64($0) } ?? 5
        // Without a limit by libpq's rules, which is 0, ours of a minute holds.
        let limit = min(
            csys_monotonic_ns() + (seconds == 0 ? 60 : min(max(seconds, 2), 600)) * 1_000_000_000,
            deadline)
        // The first step is one that waits for the socket to take something.
        var step = cpg_step_write
        while step != cpg_step_done {
            guard step != cpg_step_failed, cpg_socket(handle) >= 0 else {
                defer { cpg_close(handle) }
                throw PostgresFault.unconnected(handle, address)
            }
            guard wait(cpg_socket(handle), reads: step == cpg_step_read, until: limit) else {
                cpg_close(handle)
                throw PostgresFault.silent(parameters["host"], address)
            }
            step = cpg_connect_step(handle)
        }
        return handle
    }

    /// Makes sure that it is a server that can have a store, and sets what holds for the session.
    private func begin() throws(StoreFault) {
        let version = cpg_server_version(handle)
        guard version >= Self.leastVersion else {
            throw StoreFault(
                .denied,
                "\(address.text) is a server of version \(version / 10_000), and a store needs PostgreSQL 15 or later"
            )
        }
        let encoding = cpg_parameter(handle, "server_encoding").map { String(cString: $0) } ?? ""
        guard encoding == "UTF8" else {
            throw StoreFault(
                .denied,
                "the database of \(address.text) has the encoding \(encoding), and a store needs UTF8: make a database for it with `createdb --encoding=UTF8 --template=template0 NAME`"
            )
        }
        guard cpg_begin_pipeline(handle) else { throw PostgresFault.outOfMemory(address) }
        guard !address.isPooled else { return }
        let answer = try send(.settings) {
            $0.put(address.schema)
            $0.put(Int64(cpg_process(handle)))
        }
        try sync()
        guard answer.count == 1 else { throw PostgresFault.pooled(address) }
        session = (Int64(cpg_process(handle)), answer[0].integer(0))
    }

    // MARK: Statements

    /// Sends a statement, whose answer is there after the next `sync`.
    @discardableResult
    func send(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> PostgresAnswer {
        let values = PostgresValues()
        put(values)
        return try send(PostgresStatement(query), values)
    }

    /// Sends a statement of rows.
    func send(_ query: PostgresQuery, _ rows: PostgresRows) throws(StoreFault) {
        var statement = PostgresStatement(query, varying: rows.varying)
        if !address.isPooled, !prepared.contains(statement),
            prepared.count(where: { $0.query == query }) >= Self.mostForms
        {
            rows.expand()
            statement = PostgresStatement(query)
        }
        let values = PostgresValues()
        rows.put(to: values)
        _ = try send(statement, values)
    }

    private func send(
        _ statement: PostgresStatement, _ values: PostgresValues
    ) throws(StoreFault) -> PostgresAnswer {
        let answer = PostgresAnswer(statement.query)
        let isSent: Bool
        if address.isPooled {
            isSent = values.withPointers { cpg_run(handle, statement.text, $0, $1, $2, $3) }
        } else {
            let name = statement.name
            if prepared.insert(statement).inserted {
                guard cpg_prepare(handle, name, statement.text) else { throw broken() }
                expected.append(.prepared(statement))
            }
            isSent = values.withPointers { cpg_run_prepared(handle, name, $0, $1, $2, $3) }
        }
        guard isSent else { throw broken() }
        expected.append(.answer(answer))
        return answer
    }

    /// Has the server plan its statements again, now and then. It plans a prepared one once, and one that was made when
    /// tables were empty looks through all of them when they are large. The server itself plans it again once it has looked
    /// at the tables, which may take long, or never come.
    func planAnew(at now: UInt64 = csys_monotonic_ns()) throws(StoreFault) {
        guard now >= nextPlanning, !address.isPooled else { return }
        planningPause = min(2 * planningPause, 60_000_000_000)
        nextPlanning = now + planningPause
        try send(.forgetPlans)
    }

    /// Sends a statement that is not prepared, and may have no values.
    @discardableResult
    func send(text: String) throws(StoreFault) -> PostgresAnswer {
        let answer = PostgresAnswer(nil)
        guard cpg_run(handle, text, 0, nil, nil, nil) else { throw broken() }
        expected.append(.answer(answer))
        return answer
    }

    /// Returns false if the server has ended the session meanwhile, as far as that can be seen without waiting.
    func isStillOpen() -> Bool {
        if !isBroken, !(cpg_receive(handle) && cpg_is_open(handle)) { isBroken = true }
        return !isBroken
    }

    // MARK: Notices

    /// Readable when something has come, such as a notice.
    var socket: Int32 { cpg_socket(handle) }

    /// Has the server tell of notices to a name.
    func listen(to name: String) throws(StoreFault) {
        try send(text: "LISTEN \(name)")
        try sync()
    }

    /// Takes in what has come. Returns the notices; nil for one that this version does not know.
    func notices() throws(StoreFault) -> [PostgresNotice?] {
        guard cpg_receive(handle), cpg_is_open(handle) else { throw broken() }
        var notices: [PostgresNotice?] = []
        // Not `&notices`, which is the address of its elements.
        withUnsafeMutablePointer(to: &notices) { list in
            cpg_notices(handle, list) { list, text in
                list!.assumingMemoryBound(to: [PostgresNotice?].self).pointee.append(
                    text.flatMap { PostgresNotice(rawValue: String(cString: $0)) })
            }
        }
        return notices
    }

    /// Waits for the answers to all that was sent. Throws the first fault of a statement; those after it were
    /// not executed.
    func sync() throws(StoreFault) {
        let limit = min(csys_monotonic_ns() + answerLimit, deadline)
        roundTrips += 1
        guard cpg_sync(handle) else { throw broken() }
        let awaited = expected
        expected.removeAll()
        try flush(until: limit)
        var fault: StoreFault?
        for one in awaited {
            while let result = try next(until: limit) {
                let outcome = cpg_result_outcome(result)
                if outcome == cpg_outcome_sync { fatalError("an answer of libpq's is missing") }
                if outcome == cpg_outcome_failed, fault == nil {
                    fault = PostgresFault.refused(result, one.query, address)
                }
                let isDone = outcome == cpg_outcome_done || outcome == cpg_outcome_rows
                switch one {
                case .answer(let answer) where isDone: answer.take(result)
                case .prepared(let statement) where !isDone:
                    prepared.remove(statement)
                    cpg_result_free(result)
                default: cpg_result_free(result)
                }
            }
        }
        if let end = try next(until: limit) {
            defer { cpg_result_free(end) }
            guard cpg_result_outcome(end) == cpg_outcome_sync else { throw broken() }
        }
        if let fault {
            if !cpg_is_open(handle) { isBroken = true }
            throw fault
        }
    }

    private func flush(until limit: UInt64) throws(StoreFault) {
        while true {
            switch cpg_flush(handle) {
            case 0: return
            case 1: break
            default: throw broken()
            }
            // The server may send so much that it takes nothing before that is read.
            guard Self.wait(cpg_socket(handle), reads: true, writes: true, until: limit) else {
                throw silent()
            }
            guard cpg_receive(handle) else { throw broken() }
        }
    }

    private func next(until limit: UInt64) throws(StoreFault) -> OpaquePointer? {
        while cpg_is_waiting(handle) {
            guard Self.wait(cpg_socket(handle), reads: true, until: limit) else { throw silent() }
            guard cpg_receive(handle) else { throw broken() }
        }
        let result = cpg_next(handle)
        if !cpg_is_open(handle) {
            defer { if let result { cpg_result_free(result) } }
            throw broken(result)
        }
        return result
    }

    private func broken(_ result: OpaquePointer? = nil) -> StoreFault {
        isBroken = true
        if let result, cpg_result_state(result) != nil {
            return PostgresFault.refused(result, nil, address)
        }
        return PostgresFault.lost(handle, address)
    }

    private func silent() -> StoreFault {
        isBroken = true
        return PostgresFault.silent(nil, address)
    }

    /// Waits for a socket. Returns false at the limit.
    private static func wait(
        _ socket: Int32, reads: Bool, writes: Bool? = nil, until limit: UInt64
    ) -> Bool {
        var events: Int32 = reads ? Int32(POLLIN) : 0
        if writes ?? !reads { events |= Int32(POLLOUT) }
        while true {
            let now = csys_monotonic_ns()
            guard now < limit else { return false }
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            let milliseconds = Int32(min((limit - now) / 1_000_000 + 1, 60_000))
            let count = poll(&entry, 1, milliseconds)
            if count > 0 { return true }
            if count < 0, errno != EINTR { return true }
        }
    }
}
