// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// An entry of the journal as a row of its table.
enum JournalRow {
    static let all = "sequence, \(stored)"
    /// Columns without the number.
    static let stored = "at, what, request, identifier, launch, detail"

    static func put(_ entry: JournalEntry, to statement: some RowSink) {
        statement.put(entry.at)
        statement.put(Int64(entry.what.rawValue))
        statement.put(entry.request.map { Int64(bitPattern: $0.rawValue) })
        statement.put(entry.identifier)
        statement.put(Int64(bitPattern: entry.launch))
        statement.put(entry.detail)
    }

    /// Reads the columns `all`.
    static func entry(
        at statement: some StoredRow, in path: String
    ) throws(StoreFault) -> JournalEntry {
        var row = RowReader(statement, of: "journal", id: statement.integer(0), in: path)
        let sequence = UInt64(try row.integer(1 ... .max))
        let at = try row.date()
        let what = try row.choice(JournalEntry.What.self)
        let request = try row.optional(0 ... .max).map { RequestID(rawValue: UInt64($0)) }
        var entry = JournalEntry(
            what, at: at, request: request, identifier: try row.text(), launch: try row.bits(),
            detail: try row.text())
        entry.sequence = sequence
        return entry
    }
}
