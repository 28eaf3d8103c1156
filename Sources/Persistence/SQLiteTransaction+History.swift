// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension SQLiteTransaction {
    func put(_ attempt: Attempt) throws(StoreFault) {
        guard try state(of: attempt.request) != nil else { return }
        try change(.putAttempt) { AttemptRow.put(attempt, to: $0) }
    }

    func end(
        _ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64
    ) throws(StoreFault) {
        try change(.endAttempt) {
            $0.put(request)
            $0.put(Int64(clamping: launch))
            $0.put(date)
            AttemptRow.put(end, to: $0)
        }
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

    func append(_ entry: JournalEntry) throws(StoreFault) {
        var counters = try counted()
        counters.lastEntry += 1
        self.counters = counters
        appended.append(entry)
    }

    /// Writes what was appended; the last entry of a transaction has the counters.
    func writeJournal(isLast: Bool = false) throws(StoreFault) {
        guard let counters, !appended.isEmpty else { return }
        let first = counters.lastEntry - Int64(appended.count) + 1
        for (place, entry) in appended.enumerated() {
            let hasCounters = isLast && place == appended.count - 1
            try change(.append) {
                $0.put(first + Int64(place))
                JournalRow.put(entry, to: $0)
                if hasCounters { counters.put(to: $0) } else { StoreCounters.putNothing(to: $0) }
            }
        }
        appended.removeAll(keepingCapacity: true)
        if isLast { storedCounters = counters }
    }

    /// Entries that may wait until they are in order by request, too: many of them together are on
    /// the few pages that each would have been on.
    private static let unfiledEntries: Int64 = 256

    /// Puts what is in the journal in order by request, once it is much.
    func fileJournal() throws(StoreFault) {
        guard let counters else { return }
        let last = counters.lastEntry - Int64(appended.count)
        guard last - counters.lastFiled >= Self.unfiledEntries else { return }
        try change(.fileJournal) { $0.put(counters.lastFiled) }
        self.counters?.lastFiled = last
    }

    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry] {
        let after = Int64(clamping: sequence)
        let limit = Int64(max(0, limit))
        try writeJournal()
        guard let request else { return try list(.journal, after, limit, of: nil) }
        let filed = try list(.journalOfRequest, after, limit, of: request)
        let (later, left) = (max(after, try counted().lastFiled), limit - Int64(filed.count))
        return left == 0 ? filed : filed + (try list(.journalUnfiled, later, left, of: request))
    }

    func lastEntry(of request: RequestID) throws(StoreFault) -> JournalEntry? {
        try writeJournal()
        let unfiled = try list(.journalUnfiled, try counted().lastFiled, .max, of: request)
        if let last = unfiled.last { return last }
        var last: JournalEntry?
        try rows(.journalLastOf, { $0.put(request) }) { statement throws(StoreFault) in
            last = try JournalRow.entry(at: statement, in: path)
        }
        return last
    }

    func lastSequence() throws(StoreFault) -> UInt64 {
        UInt64(max(0, try counted().lastEntry))
    }

    func causes(in dates: Range<Int64>, limit: Int) throws(StoreFault) -> [JournalEntry] {
        try writeJournal()
        var entries: [JournalEntry] = []
        try rows(
            .causes,
            {
                $0.put(dates.lowerBound)
                $0.put(dates.upperBound)
                $0.put(Int64(max(0, limit)))
            }
        ) { statement throws(StoreFault) in
            entries.append(try JournalRow.entry(at: statement, in: path))
        }
        return entries
    }

    private func list(
        _ query: SQLiteQuery, _ after: Int64, _ limit: Int64, of request: RequestID?
    ) throws(StoreFault) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        try rows(
            query,
            {
                $0.put(after)
                $0.put(limit)
                if let request { $0.put(request) }
            }
        ) { statement throws(StoreFault) in
            entries.append(try JournalRow.entry(at: statement, in: path))
        }
        return entries
    }

    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int {
        try writeJournal()
        let limit = max(0, limit)
        let excess = Int(try counted().history) - max(0, kept)
        var removed = 0
        if excess > 0 { removed = try remove(before: .max, limit: min(excess, limit)) }
        if removed < limit { removed += try remove(before: date, limit: limit - removed) }
        let entries = try pruneJournal(before: date, keeping: kept, limit: limit)
        return max(removed, entries / 10)
    }

    /// Removes the oldest history with what belongs to it.
    private func remove(before date: Int64, limit: Int) throws(StoreFault) -> Int {
        var removed = 0
        for query in [SQLiteQuery.prunePayloads, .pruneAttempts, .pruneRequests] {
            try change(query) {
                $0.put(date)
                $0.put(Int64(limit))
            }
            removed = connection.changes
        }
        forgetSeen()
        counters?.history -= Int64(removed)
        return removed
    }

    /// Returns how many entries it has removed.
    private func pruneJournal(
        before date: Int64, keeping kept: Int, limit: Int
    ) throws(StoreFault) -> Int {
        guard let first = try number(.journalFirst), let last = try number(.journalLast) else {
            return 0
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
        guard bound > first else { return 0 }
        // The entry that they are with may go.
        storedCounters = nil
        try change(.pruneFiled) { $0.put(bound) }
        try change(.pruneJournal) { $0.put(bound) }
        return Int(bound - first)
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
