// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// A request as a row of its table.
enum RequestRow {
    /// Columns of version 1 that a submission sets, but for the id.
    static let submitted =
        "identifier, kind, earliest, latest, needs, priority, on_pending, key, retry_attempts, retry_base, retry_longest, retry_jitter, rule, every, cron, catch_up, date_jitter, payload_size, submitted_at"
    static let described = "\(submitted), opportunistic, at_most, owner, trace"
    static let changing = "\(standing), pause_boot, pause_begun, pause_length"
    static let standing =
        "state, marks, not_before, reason, nominal, attempts, launches, crashes, outcome, changed_at"
    static let all = "id, \(described), \(changing)"
    /// Columns, with the payload that follows the others.
    static let count = 38
    /// Bytes of a payload that is kept in its request's row.
    static let inlinePayload = 1_024

    /// The values of the column `rule`.
    private enum Rule: UInt8 {
        case once = 0
        case every = 1
        case cronInUTC = 2
        case cronAtHome = 3
    }

    static func putDescribed(_ request: Request, to statement: some RowSink) {
        putSubmitted(request, to: statement)
        statement.put(Int64(request.description.opportunistic.rawValue))
        statement.put(Int64(bitPattern: request.description.atMost ?? 0))
        statement.put(request.owner.map { Int64($0) })
        statement.put(request.description.trace?.text)
    }

    static func putSubmitted(_ request: Request, to statement: some RowSink) {
        let description = request.description
        statement.put(description.identifier)
        statement.put(Int64(description.kind.rawValue))
        statement.put(description.earliest)
        statement.put(description.latest)
        statement.put(Int64(description.needs.rawValue))
        statement.put(Int64(description.priority.rawValue))
        statement.put(Int64(description.onPending.rawValue))
        statement.put(description.key)
        statement.put(Int64(description.retry.attempts))
        statement.put(Int64(bitPattern: description.retry.base))
        statement.put(Int64(bitPattern: description.retry.longest))
        statement.put(description.retry.jitter)
        put(description.repetition, to: statement)
        statement.put(Int64(request.payloadBytes))
        statement.put(request.submittedAt)
    }

    private static func put(_ repetition: Repetition?, to statement: some RowSink) {
        switch repetition?.rule {
        case nil:
            statement.put(Int64(Rule.once.rawValue))
            statement.putNothing()
            statement.putNothing()
        case .every(let interval):
            statement.put(Int64(Rule.every.rawValue))
            statement.put(Int64(bitPattern: interval))
            statement.putNothing()
        case .cron(let schedule, let isLocal):
            statement.put(Int64((isLocal ? Rule.cronAtHome : .cronInUTC).rawValue))
            statement.putNothing()
            statement.put(schedule.text)
        }
        statement.put(repetition.map { Int64($0.catchUp.rawValue) })
        statement.put(Int64(bitPattern: repetition?.jitter ?? 0))
    }

    static func putChanging(_ request: Request, to statement: some RowSink) {
        putState(request, to: statement)
        statement.put(request.pause?.boot)
        statement.put(request.pause.map { Int64(bitPattern: $0.begun) })
        statement.put(request.pause.map { Int64(bitPattern: $0.length) })
    }

    static func putState(_ request: Request, to statement: some RowSink) {
        statement.put(Int64(request.state.rawValue))
        statement.put(Int64(request.marks.rawValue))
        statement.put(request.notBefore)
        statement.put(Int64(request.reason.rawValue))
        statement.put(request.nominal)
        statement.put(Int64(request.attempts))
        statement.put(Int64(bitPattern: request.launches))
        statement.put(Int64(request.crashes))
        statement.put(request.outcome.map { Int64($0.rawValue) })
        statement.put(request.changedAt)
    }

    /// Reads the columns `all`.
    static func request(
        at statement: some StoredRow, in path: String
    ) throws(StoreFault) -> Request {
        var row = RowReader(statement, of: "request", id: statement.integer(0), in: path)
        let id = try row.integer(1 ... .max)
        var description = try description(&row)
        let bytes = try row.integer(0...Int64(Int32.max))
        let submittedAt = try row.date()
        description.opportunistic = try row.choice(RequestWish.self)
        let atMost = try row.integer(0...Int64(RequestDescription.atMostRange.upperBound))
        description.atMost = atMost == 0 ? nil : UInt64(atMost)
        let owner = try row.optional(0...Int64(UInt32.max)).map { UInt32($0) }
        if let text = try row.optionalText() {
            guard let trace = TraceContext(text) else { throw row.nonsense("its trace is none") }
            description.trace = trace
        }
        var request = Request(
            description, payloadBytes: Int(bytes), at: submittedAt, notBefore: 0)
        request.id = RequestID(rawValue: UInt64(id))
        request.owner = owner
        request.state = try row.choice(RequestState.self)
        request.marks = Request.Marks(rawValue: UInt8(try row.integer(0...255)))
        request.notBefore = try row.date()
        request.reason = try row.choice(PendingReason.self)
        request.nominal = try row.date()
        request.attempts = try row.count()
        request.launches = UInt64(try row.integer(0...(.max - 1)))
        request.crashes = try row.count()
        request.outcome = try row.optionalChoice(Outcome.self)
        request.changedAt = try row.date()
        request.pause = try pause(&row)
        return request
    }

    private static func pause(_ row: inout RowReader<some StoredRow>) throws(StoreFault) -> Pause? {
        guard let boot = try row.optionalText() else { return nil }
        return Pause(boot: boot, begun: try row.bits(), length: try row.bits())
    }

    private static func description(
        _ row: inout RowReader<some StoredRow>
    ) throws(StoreFault) -> RequestDescription {
        var description = RequestDescription(try row.text())
        description.kind = try row.choice(TaskKind.self)
        description.earliest = try row.optionalDate()
        description.latest = try row.optionalDate()
        description.needs = RequestNeeds(rawValue: UInt8(try row.integer(0...255)))
        guard RequestNeeds.all.isSuperset(of: description.needs) else {
            throw row.nonsense("it needs something unknown")
        }
        description.priority = try row.choice(RequestPriority.self)
        description.onPending = try row.choice(RequestDescription.OnPending.self)
        description.key = try row.optionalText()
        description.retry.attempts = try row.count()
        description.retry.base = try row.bits()
        description.retry.longest = try row.bits()
        description.retry.jitter = try row.real(0...1)
        description.repetition = try repetition(&row)
        return description
    }

    private static func repetition(_ row: inout RowReader<some StoredRow>) throws(StoreFault)
        -> Repetition?
    {
        let rule = try row.choice(Rule.self)
        let every = try row.optional(.min ... .max).map { UInt64(bitPattern: $0) }
        let cron = try row.optionalText()
        let catchUp = try row.optionalChoice(Repetition.CatchUp.self)
        let jitter = try row.bits()
        guard jitter <= Repetition.intervalRange.upperBound else {
            throw row.nonsense("the jitter of its dates is too long")
        }
        if rule == .once { return nil }
        guard let catchUp else { throw row.nonsense("nothing is said of its dates that passed") }
        if rule == .every {
            guard let every, Repetition.intervalRange.contains(every) else {
                throw row.nonsense("its interval is out of range")
            }
            return Repetition(.every(every), catchUp: catchUp, jitter: jitter)
        }
        guard let cron, let schedule = try? CronSchedule(kept: cron) else {
            throw row.nonsense("its cron expression is none")
        }
        return Repetition(
            .cron(schedule, isLocal: rule == .cronAtHome), catchUp: catchUp, jitter: jitter)
    }
}
