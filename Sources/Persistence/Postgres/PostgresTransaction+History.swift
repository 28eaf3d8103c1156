// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension PostgresTransaction {
    func put(_ attempt: Attempt) throws(StoreFault) {
        checkMayWrite()
        let key = AttemptKey(request: attempt.request, launch: attempt.launch)
        // An end that is gathered is of the record that this replaces.
        ends[key] = nil
        attempts[key] = attempt
    }

    func end(
        _ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64
    ) throws(StoreFault) {
        checkMayWrite()
        let key = AttemptKey(request: request, launch: launch)
        if attempts[key] == nil {
            ends[key] = (end, date)
        } else {
            attempts[key]!.end(end, at: date)
        }
    }

    func removeAttempts(of request: RequestID, before launch: UInt64) throws(StoreFault) {
        try change(.removeAttempts) {
            $0.put(Int64(clamping: request.rawValue))
            $0.put(Int64(clamping: launch))
        }
    }

    private func list(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void
    ) throws(StoreFault) -> [Attempt] {
        var attempts: [Attempt] = []
        for row in try ask(query, put).rows {
            attempts.append(try AttemptRow.attempt(at: row, in: path))
        }
        return attempts
    }

    func attempt(_ launch: UInt64, of request: RequestID) throws(StoreFault) -> Attempt? {
        try list(.attempt) {
            $0.put(Int64(clamping: request.rawValue))
            $0.put(Int64(clamping: launch))
        }.first
    }

    func attempts(of request: RequestID, limit: Int) throws(StoreFault) -> [Attempt] {
        try list(.attempts) {
            $0.put(Int64(clamping: request.rawValue))
            $0.put(Int64(max(0, limit)))
        }.reversed()
    }

    // MARK: Journal

    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry] {
        try numberOwnEntries()
        let answer = try ask(request == nil ? .journal : .journalOfRequest) {
            // One more is looked for.
            $0.put(Int64(clamping: min(sequence, UInt64(Int64.max - 1))))
            $0.put(Int64(max(0, limit)))
            if let request { $0.put(Int64(clamping: request.rawValue)) }
        }
        var entries: [JournalEntry] = []
        for row in answer.rows { entries.append(try JournalRow.entry(at: row, in: path)) }
        return entries
    }

    func lastEntry(of request: RequestID) throws(StoreFault) -> JournalEntry? {
        try numberOwnEntries()
        let answer = try ask(.journalLastOf) { $0.put(Int64(clamping: request.rawValue)) }
        return answer.count > 0 ? try JournalRow.entry(at: answer[0], in: path) : nil
    }

    func lastSequence() throws(StoreFault) -> UInt64 {
        try numberOwnEntries()
        return UInt64(max(0, try ask(number: .journalLast) ?? 0))
    }

    func causes(in dates: Range<Int64>, limit: Int) throws(StoreFault) -> [JournalEntry] {
        try numberOwnEntries()
        let answer = try ask(.causes) {
            $0.put(dates.lowerBound)
            $0.put(dates.upperBound)
            $0.put(Int64(max(0, limit)))
        }
        var entries: [JournalEntry] = []
        for row in answer.rows { entries.append(try JournalRow.entry(at: row, in: path)) }
        return entries
    }

    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int {
        guard try ask(.lockPruning)[0].text(0) == "t" else { return 0 }
        let limit = max(0, limit)
        let excess = Int(try ask(number: .countHistory) ?? 0) - max(0, kept)
        var removed = 0
        if excess > 0 { removed = try remove(before: .max, limit: min(excess, limit)) }
        if removed < limit { removed += try remove(before: date, limit: limit - removed) }
        let entries = try pruneJournal(before: date, keeping: kept, limit: limit)
        try change(.pruneHosts) { $0.put(date) }
        return max(removed, entries / 10)
    }

    /// Removes the oldest history with what belongs to it.
    private func remove(before date: Int64, limit: Int) throws(StoreFault) -> Int {
        checkMayWrite()
        let numbers = try ask(.prunable) {
            $0.put(date)
            $0.put(Int64(limit))
        }.rows.map { $0.integer(0) }
        guard !numbers.isEmpty else { return 0 }
        let list = "{\(numbers.map { "\($0)" }.joined(separator: ","))}"
        try change(.pruneAttempts) { $0.put(list) }
        try change(.pruneRequests) { $0.put(list) }
        for (id, request) in seen where !request.state.isLive {
            seen[id] = nil
            payloads[id] = nil
        }
        return numbers.count
    }

    /// Returns how many entries it has removed.
    private func pruneJournal(
        before date: Int64, keeping kept: Int, limit: Int
    ) throws(StoreFault) -> Int {
        try numberOwnEntries()
        // Turns whose entries are gone are kept for an hour, and there may be very many of them.
        guard let first = try ask(number: .journalFirst, { $0.put(drawn.firstEntry) }),
            let last = try ask(number: .journalLast)
        else { return 0 }
        drawn.firstEntry = first
        // The numbers have no gap, so that they count as well.
        let end = min(last + 1, first + Self.tenTimes(limit))
        let old =
            try ask(number: .journalKept) {
                $0.put(end)
                $0.put(date)
                $0.put(first)
            } ?? end
        let bound = min(end, max(old, last + 1 - Self.tenTimes(kept)))
        guard bound > first else { return 0 }
        try change(.pruneJournal) {
            $0.put(bound)
            $0.put(first)
        }
        try change(.pruneTurns) { $0.put(bound) }
        return Int(bound - first)
    }

    /// Numbers of the journal are below a quarter of what there is room for.
    private static func tenTimes(_ count: Int) -> Int64 {
        Int64(min(max(0, count), 1 << 58) * 10)
    }

    // MARK: Schedules and values

    private func schedules(
        _ query: PostgresQuery, _ put: (PostgresValues) -> Void = { _ in }
    ) throws(StoreFault) -> [StoredSchedule] {
        var schedules: [StoredSchedule] = []
        for row in try ask(query, put).rows {
            schedules.append(try ScheduleRow.schedule(at: row, in: path))
        }
        return schedules
    }

    func schedules() throws(StoreFault) -> [StoredSchedule] { try schedules(.schedules) }

    func schedule(_ name: String) throws(StoreFault) -> StoredSchedule? {
        try schedules(.schedule) { $0.put(name) }.first
    }

    func put(_ schedule: StoredSchedule) throws(StoreFault) {
        try change(.putSchedule) { ScheduleRow.put(schedule, to: $0) }
    }

    func removeSchedule(_ name: String) throws(StoreFault) {
        try change(.removeSchedule) { $0.put(name) }
    }

    func value(_ name: String) throws(StoreFault) -> [UInt8]? {
        let answer = try ask(.value) { $0.put(name) }
        return answer.count > 0 ? answer[0].bytes(0) : nil
    }

    func setValue(_ name: String, _ value: [UInt8]?) throws(StoreFault) {
        guard let value else { return try change(.removeValue) { $0.put(name) } }
        try change(.setValue) {
            $0.put(name)
            $0.put(value)
        }
    }
}
