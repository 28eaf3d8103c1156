// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// An attempt as a row of its table.
enum AttemptRow {
    static let all =
        "request, launch, number, boot, process, start, started_at, ended_at, outcome, reason, error"

    static func put(_ attempt: Attempt, to statement: SQLiteStatement) {
        statement.put(Int64(bitPattern: attempt.request.rawValue))
        statement.put(Int64(bitPattern: attempt.launch))
        statement.put(Int64(attempt.number))
        statement.put(attempt.host.boot)
        statement.put(Int64(attempt.host.process))
        statement.put(Int64(bitPattern: attempt.host.start))
        statement.put(attempt.startedAt)
        statement.put(attempt.endedAt)
        statement.put(attempt.outcome.map { Int64($0.rawValue) })
        statement.put(attempt.reason.map { Int64($0.rawValue) })
        statement.put(attempt.error)
    }

    /// Reads the columns `all`.
    static func attempt(
        at statement: SQLiteStatement, in path: String
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
        attempt.endedAt = try row.optional(RowReader.dates)
        attempt.outcome = try row.optionalChoice(Outcome.self)
        attempt.reason = try row.optionalChoice(StopReason.self)
        attempt.error = try row.text()
        return attempt
    }
}
