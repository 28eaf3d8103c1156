// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// An attempt as a row of its table.
enum AttemptRow {
    static let begun = "request, launch, number, boot, process, start, started_at"
    static let ended = [
        "ended_at", "outcome", "reason", "error", "log", "log_dropped", "result", "result_bytes",
        "progress", "progress_text", "cpu", "cpu_user", "cpu_system", "memory", "bytes_read",
        "bytes_written", "exit",
    ]
    static let all = begun + ", " + ended.joined(separator: ", ")
    /// The values of `all`.
    static let values = (1...7 + ended.count).map { "?\($0)" }.joined(separator: ", ")
    /// The assignments of an end, whose first value has the number 3.
    static let ending = zip(ended, 3...).map { "\($0) = ?\($1)" }.joined(separator: ", ")

    static func put(_ attempt: Attempt, to statement: some RowSink) {
        putEarlier(attempt, to: statement)
        put(attempt.record, to: statement)
    }

    /// Puts the columns before those of version 5.
    static func putEarlier(_ attempt: Attempt, to statement: some RowSink) {
        statement.put(Int64(bitPattern: attempt.request.rawValue))
        statement.put(Int64(bitPattern: attempt.launch))
        statement.put(Int64(attempt.number))
        statement.put(attempt.host.boot)
        statement.put(Int64(attempt.host.process))
        statement.put(Int64(bitPattern: attempt.host.start))
        statement.put(attempt.startedAt)
        statement.put(attempt.endedAt)
        putOutcome(attempt.outcome, attempt.reason, attempt.error, to: statement)
    }

    /// Puts the columns of an end after its date.
    static func put(_ end: AttemptEnd, to statement: some RowSink) {
        putOutcome(end.outcome, end.reason, end.error, to: statement)
        put(end.record, to: statement)
    }

    private static func putOutcome(
        _ outcome: Outcome?, _ reason: StopReason?, _ error: String, to statement: some RowSink
    ) {
        statement.put(outcome.map { Int64($0.rawValue) })
        statement.put(reason.map { Int64($0.rawValue) })
        statement.put(error)
    }

    private static func put(_ record: AttemptRecord, to statement: some RowSink) {
        let log = record.log
        statement.put(log.lines.isEmpty ? nil : log.text)
        statement.put(log.dropped == 0 ? nil : Int64(clamping: log.dropped))
        statement.put(record.result.isEmpty ? nil : record.result)
        statement.put(record.resultBytes == 0 ? nil : Int64(clamping: record.resultBytes))
        if let progress = record.progress {
            statement.put(progress)
        } else {
            statement.putNothing()
        }
        statement.put(record.progressText.isEmpty ? nil : record.progressText)
        statement.put(record.processorTime == 0 ? nil : Int64(clamping: record.processorTime))
        let usage = record.usage
        for value in [usage?.user, usage?.system, usage?.memory, usage?.read, usage?.written] {
            statement.put(value.map { Int64(clamping: $0) })
        }
        statement.put(record.exit.map { Int64($0) })
    }

    /// Reads the columns `all`.
    static func attempt(
        at statement: some StoredRow, in path: String
    ) throws(StoreFault) -> Attempt {
        var row = RowReader(statement, of: "attempt", id: statement.integer(0), in: path)
        let request = RequestID(rawValue: UInt64(try row.integer(1 ... .max)))
        let launch = UInt64(try row.integer(0 ... .max))
        let number = try row.count()
        let host = HostIdentity(
            boot: try row.text(),
            process: Int32(try row.integer(Int64(Int32.min)...Int64(Int32.max))),
            start: try row.bits())
        var attempt = Attempt(
            request: request, launch: launch, number: number, host: host,
            startedAt: try row.date())
        attempt.endedAt = try row.optionalDate()
        attempt.outcome = try row.optionalChoice(Outcome.self)
        attempt.reason = try row.optionalChoice(StopReason.self)
        attempt.error = try row.text()
        attempt.record = try record(&row)
        return attempt
    }

    private static func record(_ row: inout RowReader<some StoredRow>) throws(StoreFault)
        -> AttemptRecord
    {
        func size(_ row: inout RowReader<some StoredRow>) throws(StoreFault) -> UInt64? {
            try row.optional(0 ... .max).map { UInt64($0) }
        }
        var record = AttemptRecord()
        let log = try row.optionalText()
        let dropped = try size(&row) ?? 0
        if let log { record.log = LogTail(text: log, dropped: dropped) }
        record.result = try row.optionalText() ?? ""
        record.resultBytes = try size(&row) ?? 0
        let progress = try row.optionalReal(0...1)
        let text = try row.optionalText() ?? ""
        if let progress { record.setProgress(progress, text) }
        record.processorTime = try size(&row) ?? 0
        let values = [
            try size(&row), try size(&row), try size(&row), try size(&row), try size(&row),
        ].compactMap(\.self)
        if values.count == 5 {
            var usage = CommandUsage()
            (usage.user, usage.system, usage.memory) = (values[0], values[1], values[2])
            (usage.read, usage.written) = (values[3], values[4])
            record.usage = usage
        }
        record.exit = try row.optional(Int64(Int32.min)...Int64(Int32.max)).map { Int32($0) }
        return record
    }
}
