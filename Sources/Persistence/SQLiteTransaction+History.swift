// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension SQLiteTransaction {
    func put(_ attempt: Attempt) throws(StoreFault) {
        try change(.putAttempt) { AttemptRow.put(attempt, to: $0) }
    }

    func removeAttempts(of request: RequestID, before launch: UInt64) throws(StoreFault) {
        try change(.removeAttempts) {
            $0.put(request)
            $0.put(Int64(clamping: launch))
        }
    }

    private func list(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void
    ) throws(StoreFault) -> [Attempt] {
        var attempts: [Attempt] = []
        try rows(query, values) { statement throws(StoreFault) in
            attempts.append(try AttemptRow.attempt(at: statement, in: path))
        }
        return attempts
    }

    func attempt(_ launch: UInt64, of request: RequestID) throws(StoreFault) -> Attempt? {
        try list(.attempt) {
            $0.put(request)
            $0.put(Int64(clamping: launch))
        }.first
    }

    func attempts(of request: RequestID, limit: Int) throws(StoreFault) -> [Attempt] {
        try list(.attempts) {
            $0.put(request)
            $0.put(Int64(max(0, limit)))
        }.reversed()
    }

    func append(_ entry: JournalEntry) throws(StoreFault) -> UInt64 {
        try change(.append) { JournalRow.put(entry, to: $0) }
        return UInt64(connection.lastRow)
    }

    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        try rows(
            request == nil ? .journal : .journalOfRequest,
            {
                $0.put(Int64(clamping: sequence))
                $0.put(Int64(max(0, limit)))
                if let request { $0.put(request) }
            }
        ) { statement throws(StoreFault) in
            entries.append(try JournalRow.entry(at: statement, in: path))
        }
        return entries
    }

    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int {
        let limit = max(0, limit)
        let excess = Int(try number(.historyCount) ?? 0) - max(0, kept)
        var removed = 0
        if excess > 0 {
            try change(.pruneExcess) { $0.put(Int64(min(excess, limit))) }
            removed = connection.changes
        }
        if removed < limit {
            try change(.pruneOld) {
                $0.put(date)
                $0.put(Int64(limit - removed))
            }
            removed += connection.changes
        }
        try pruneJournal(before: date, keeping: kept, limit: limit)
        return removed
    }

    private func pruneJournal(
        before date: Int64, keeping kept: Int, limit: Int
    ) throws(StoreFault) {
        guard let first = try number(.journalFirst), let last = try number(.journalLast) else {
            return
        }
        // The numbers have no gap, so that they count as well.
        let end = min(last + 1, first + Self.tenTimes(limit))
        let old =
            try number(.journalKept) {
                $0.put(end)
                $0.put(date)
            } ?? end
        let excess = last + 1 - Self.tenTimes(kept)
        let bound = min(end, max(old, excess))
        if bound > first { try change(.pruneJournal) { $0.put(bound) } }
    }

    /// Numbers of the journal are below a quarter of what there is room for.
    private static func tenTimes(_ count: Int) -> Int64 {
        Int64(min(max(0, count), 1 << 58) * 10)
    }

    func value(_ name: String) throws(StoreFault) -> [UInt8]? {
        var bytes: [UInt8]?
        try rows(.value, { $0.put(name) }) { statement throws(StoreFault) in
            bytes = statement.bytes(0)
        }
        return bytes
    }

    func setValue(_ name: String, _ value: [UInt8]?) throws(StoreFault) {
        guard let value else {
            try change(.removeValue) { $0.put(name) }
            return
        }
        try change(.setValue) {
            $0.put(name)
            $0.put(value)
        }
    }
}
