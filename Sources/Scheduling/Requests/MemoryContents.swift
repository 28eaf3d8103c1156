// SPDX-License-Identifier: Apache-2.0

/// The contents of a memory store, with the undo log of a transaction.
final class MemoryContents: StoreTransaction {
    private struct Row {
        var request: Request
        var payload: [UInt8]
    }

    /// An entry of the index by date. An entry whose request has left the queue, or has another
    /// date, is ignored, and removed when it comes to the front.
    private struct Entry: Comparable {
        let date: Int64
        let id: UInt64

        static func < (a: Entry, b: Entry) -> Bool { (a.date, a.id) < (b.date, b.id) }
    }

    private struct Key: Hashable {
        let identifier: [UInt8]
        let key: [UInt8]

        init(_ key: String, of identifier: String) {
            self.identifier = Array(identifier.utf8)
            self.key = Array(key.utf8)
        }
    }

    private var rows: [RequestID: Row] = [:]
    private var lastID: UInt64 = 0
    /// The numbers of all rows, ascending; may contain numbers of removed rows.
    private var order: [RequestID] = []
    /// The pending, running and parked requests of an identifier.
    private var live: [String: Set<RequestID>] = [:]
    private var liveCount = 0
    /// Keys are compared by bytes: Swift considers some different byte sequences equal.
    private var keys: [Key: Set<RequestID>] = [:]
    private var dates: [RequestQueue: Heap<Entry>] = [:]
    private var pendingCounts: [RequestQueue: Int] = [:]
    private var kindCounts: [TaskKind: Int] = [:]
    private var identifierCounts: [String: Int] = [:]
    private var latest = Heap<Entry>()
    /// Ordered by the time of their end; an entry whose request was removed or changed is ignored.
    private var history = Heap<Entry>()
    private var attempts: [RequestID: [Attempt]] = [:]
    private var entries: [JournalEntry] = []
    private var newest: UInt64 = 0
    private var values: [String: [UInt8]] = [:]
    private var planned: [String: StoredSchedule] = [:]
    /// By span, and then by the beginning and the identifier.
    private var rollups: [RollupSpan: [Int64: [String: Rollup]]] = [:]
    private(set) var newCounts = RollupSums()
    private var areCountsDeferred = false
    /// The undo log, in order of the changes; the last one is undone first.
    private var undo: [(MemoryContents) -> Void] = []

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let (depth, before) = (undo.count, newCounts)
        do {
            return try body()
        } catch {
            newCounts = before
            while undo.count > depth { undo.removeLast()(self) }
            throw error
        }
    }

    func forgetChanges() {
        undo.removeAll(keepingCapacity: true)
        newCounts.removeAll()
        areCountsDeferred = false
    }

    // MARK: Requests

    func insert(_ request: Request, payload: [UInt8]) -> RequestID {
        lastID += 1
        var request = request
        request.id = RequestID(rawValue: lastID)
        put(Row(request: request, payload: payload), request.id)
        undo.append { $0.lastID -= 1 }
        return request.id
    }

    func request(_ id: RequestID) -> Request? { rows[id]?.request }

    func payload(of id: RequestID) -> [UInt8] { rows[id]?.payload ?? [] }

    func update(_ request: Request) {
        guard let row = rows[request.id] else { return }
        put(Row(request: request, payload: row.payload), request.id)
    }

    func redescribe(_ request: Request) { update(request) }

    func setPayload(_ payload: [UInt8], of request: RequestID) {
        guard let row = rows[request] else { return }
        var changed = row.request
        changed.payloadBytes = payload.count
        put(Row(request: changed, payload: payload), request)
    }

    /// Replaces a row, and updates all indexes.
    private func put(_ row: Row?, _ id: RequestID) {
        let old = rows[id]
        undo.append { $0.place(old, id) }
        place(row, id)
    }

    private func place(_ row: Row?, _ id: RequestID) {
        if let old = rows[id]?.request {
            if live[old.description.identifier]?.remove(id) != nil { liveCount -= 1 }
            if live[old.description.identifier]?.isEmpty == true {
                live[old.description.identifier] = nil
            }
            if old.state == .pending { count(-1, old.queue) }
            if let key = old.description.key, row?.request.description.key != key {
                let key = Key(key, of: old.description.identifier)
                keys[key]?.remove(id)
                if keys[key]?.isEmpty == true { keys[key] = nil }
            }
        }
        rows[id] = row
        guard let new = row?.request else { return dropStaleOrder() }
        remember(id)
        if let key = new.description.key {
            keys[Key(key, of: new.description.identifier), default: []].insert(id)
        }
        if new.state.isLive {
            if live[new.description.identifier, default: []].insert(id).inserted { liveCount += 1 }
        } else {
            history.insert(Entry(date: new.changedAt, id: id.rawValue))
            dropStaleHistory()
        }
        guard new.state == .pending else { return }
        count(1, new.queue)
        dates[new.queue, default: Heap()].insert(Entry(date: new.notBefore, id: id.rawValue))
        dropStaleDates(of: new.queue)
        if let date = new.description.latest, new.launches == 0 {
            latest.insert(Entry(date: date, id: id.rawValue))
            if latest.count > 2 * rows.count + 64 {
                var kept: Set<UInt64> = []
                latest.removeAll { !mayMiss($0) || !kept.insert($0.id).inserted }
            }
        }
    }

    // MARK: Order and history

    /// Returns the index of the first number that is not smaller.
    private func place(of id: RequestID) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func remember(_ id: RequestID) {
        let place = order.last.map { $0 < id } ?? true ? order.count : place(of: id)
        if place == order.count || order[place] != id { order.insert(id, at: place) }
    }

    private func dropStaleOrder() {
        if order.count > 2 * rows.count + 64 { order.removeAll { rows[$0] == nil } }
    }

    private func hasEnded(_ entry: Entry) -> Bool {
        guard let request = rows[RequestID(rawValue: entry.id)]?.request else { return false }
        return !request.state.isLive && request.changedAt == entry.date
    }

    private func dropStaleHistory() {
        guard history.count > 2 * (rows.count - liveCount) + 64 else { return }
        var kept: Set<UInt64> = []
        history.removeAll { !hasEnded($0) || !kept.insert($0.id).inserted }
    }

    /// The number of index entries in memory, for tests.
    var entryCount: Int {
        latest.count + history.count + order.count + live.count + pendingCounts.count
            + dates.values.reduce(0) { $0 + 1 + $1.count }
    }

    private func count(_ change: Int, _ queue: RequestQueue) {
        let count = pendingCounts[queue, default: 0] + change
        pendingCounts[queue] = count == 0 ? nil : count
        kindCounts[queue.kind, default: 0] += change
        let ofIdentifier = identifierCounts[queue.identifier, default: 0] + change
        identifierCounts[queue.identifier] = ofIdentifier == 0 ? nil : ofIdentifier
        if count == 0 { dates[queue] = nil }
    }

    /// Without this, removed requests that are not first would stay in the heap of the queue.
    private func dropStaleDates(of queue: RequestQueue) {
        guard let count = dates[queue]?.count, count > 2 * pendingCounts[queue, default: 0] + 64
        else { return }
        var kept: Set<UInt64> = []
        dates[queue]?.removeAll { !isPending($0, queue) || !kept.insert($0.id).inserted }
    }

    private func isPending(_ entry: Entry, _ queue: RequestQueue) -> Bool {
        guard let request = rows[RequestID(rawValue: entry.id)]?.request else { return false }
        return request.state == .pending && request.notBefore == entry.date
            && request.queue == queue
    }

    private func mayMiss(_ entry: Entry) -> Bool {
        guard let request = rows[RequestID(rawValue: entry.id)]?.request else { return false }
        return request.state == .pending && request.launches == 0
            && request.description.latest == entry.date
    }

    func pendingCount(_ scope: PendingScope, atMost limit: Int) -> Int {
        let count =
            switch scope {
            case .kind(let kind): kindCounts[kind] ?? 0
            case .identifier(let identifier): identifierCounts[identifier] ?? 0
            case .owner(let user): owned(by: user).count { $0.state == .pending }
            case .all: kindCounts.values.reduce(0, +)
            }
        return min(count, limit)
    }

    func pending(of identifier: String) -> [Request] {
        (live[identifier] ?? []).sorted().compactMap { rows[$0]?.request }
            .filter { $0.state == .pending }
    }

    func firstPending(_ identifier: String) -> RequestID? {
        pendingCounts.keys.filter { $0.identifier == identifier }.min().flatMap { head(of: $0)?.id }
    }

    func ahead(of request: Request, limit: Int) -> Int {
        let count = rows.values.count {
            $0.request.state == .pending && $0.request.queue == request.queue
                && ($0.request.notBefore, $0.request.id) < (request.notBefore, request.id)
        }
        return min(count, max(0, limit))
    }

    func find(key: String, of identifier: String, owner: UInt32?) -> Request? {
        keys[Key(key, of: identifier)]?.filter { rows[$0]?.request.owner == owner }.max()
            .flatMap { rows[$0]?.request }
    }

    func owned(by user: UInt32) -> [Request] {
        rows.values.map(\.request).filter { $0.owner == user }.sorted { $0.id < $1.id }
    }

    func queues(of identifier: String?, limit: Int) -> [RequestQueue] {
        let all = pendingCounts.keys.filter { identifier == nil || $0.identifier == identifier }
        return Array(all.sorted().prefix(max(0, limit)))
    }

    func head(of queue: RequestQueue) -> RequestHead? {
        while let entry = dates[queue]?.first {
            if isPending(entry, queue) {
                return RequestHead(id: RequestID(rawValue: entry.id), notBefore: entry.date)
            }
            dates[queue]?.removeFirst()
        }
        return nil
    }

    func firstToMiss() -> Request? {
        while let entry = latest.first {
            if mayMiss(entry) { return rows[RequestID(rawValue: entry.id)]?.request }
            latest.removeFirst()
        }
        return nil
    }

    func running() -> [Request] {
        live.values.joined().sorted().compactMap { id in
            rows[id].flatMap { $0.request.state == .running ? $0.request : nil }
        }
    }

    func requests(_ filter: RequestFilter) -> [Request] {
        var start = filter.after.map(place) ?? 0
        if start < order.count, order[start] == filter.after { start += 1 }
        var candidates = order[start...]
        if !filter.states.isEmpty, filter.states.allSatisfy(\.isLive) {
            // Live requests have an index, so that a long history is not scanned.
            let sets = filter.identifier.map { [live[$0] ?? []] } ?? Array(live.values)
            if sets.reduce(0, { $0 + $1.count }) < candidates.count / 16 {
                candidates =
                    sets.joined().filter { $0 > filter.after ?? RequestID(rawValue: 0) }
                    .sorted()[...]
            }
        }
        return Array(
            candidates.lazy
                .compactMap { self.rows[$0]?.request }
                .filter { filter.states.isEmpty || filter.states.contains($0.state) }
                .filter {
                    filter.identifier == nil || filter.identifier == $0.description.identifier
                }
                .prefix(max(0, filter.limit)))
    }

    func overview(_ filter: RequestFilter, outcomes: Set<Outcome>) -> RequestOverview {
        var all = filter
        (all.after, all.limit) = (nil, .max)
        return RequestOverview(requests(all), filter, outcomes)
    }

    func liveCounts() -> [LiveCount] {
        RequestState.allCases.filter(\.isLive).flatMap { state in
            Dictionary(
                grouping: rows.values.filter { $0.request.state == state },
                by: \.request.description.identifier
            ).map { LiveCount($0.key, state, $0.value.count) }
        }
    }

    // MARK: History

    func put(_ attempt: Attempt) {
        guard rows[attempt.request] != nil else { return }
        let old = attempts[attempt.request]
        undo.append { $0.attempts[attempt.request] = old }
        var list = old ?? []
        if let index = list.lastIndex(where: { $0.launch == attempt.launch }) {
            list[index] = attempt
        } else {
            let index = list.lastIndex { $0.launch < attempt.launch }.map { $0 + 1 } ?? 0
            list.insert(attempt, at: index)
        }
        attempts[attempt.request] = list
    }

    func end(_ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64) {
        guard var attempt = attempt(launch, of: request) else { return }
        attempt.end(end, at: date)
        put(attempt)
    }

    func removeAttempts(of request: RequestID, before launch: UInt64) {
        guard let old = attempts[request], let first = old.first, first.launch < launch else {
            return
        }
        undo.append { $0.attempts[request] = old }
        attempts[request] = old.filter { $0.launch >= launch }
    }

    func attempt(_ launch: UInt64, of request: RequestID) -> Attempt? {
        attempts[request]?.last { $0.launch == launch }
    }

    func attempts(of request: RequestID, limit: Int) -> [Attempt] {
        Array((attempts[request] ?? []).suffix(max(0, limit)))
    }

    func append(_ entry: JournalEntry) {
        newest += 1
        var entry = entry
        entry.sequence = newest
        entries.append(entry)
        undo.append {
            $0.entries.removeLast()
            $0.newest -= 1
        }
    }

    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) -> [JournalEntry] {
        guard let first = entries.first?.sequence, sequence < newest else { return [] }
        let start = sequence < first ? 0 : Int(sequence - first) + 1
        return Array(
            entries[start...].lazy.filter { request == nil || $0.request == request }
                .prefix(max(0, limit)))
    }

    func lastEntry(of request: RequestID) -> JournalEntry? {
        entries.last { $0.request == request }
    }

    func lastSequence() -> UInt64 { newest }

    func causes(in dates: Range<Int64>, limit: Int) -> [JournalEntry] {
        let causes = entries.filter { $0.what.isCause && dates.contains($0.at) }
        return Array(
            causes.sorted { ($0.at, $0.sequence) < ($1.at, $1.sequence) }.prefix(max(0, limit)))
    }

    func prune(before date: Int64, keeping kept: Int, limit: Int) -> Int {
        let (kept, limit) = (max(0, kept), max(0, limit))
        let excess = max(0, rows.count - liveCount - kept)
        var removedCount = 0
        while removedCount < limit, let entry = history.first {
            guard hasEnded(entry) else {
                history.removeFirst()
                continue
            }
            guard removedCount < excess || entry.date < date else { break }
            history.removeFirst()
            let id = RequestID(rawValue: entry.id)
            put(nil, id)
            let gone = attempts.removeValue(forKey: id)
            undo.append { $0.attempts[id] = gone }
            removedCount += 1
        }
        let spare = max(0, entries.count - Self.tenTimes(kept))
        let stale = max(spare, entries.firstIndex { $0.at >= date } ?? entries.count)
        let removed = Array(entries.prefix(min(stale, Self.tenTimes(limit))))
        entries.removeFirst(removed.count)
        undo.append { $0.entries = removed + $0.entries }
        return max(removedCount, removed.count / 10)
    }

    private static func tenTimes(_ count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: 10)
        return overflow ? .max : product
    }

    // MARK: Schedules

    func count(_ rollup: Rollup, in key: RollupKey) {
        newCounts.add(rollup, to: key)
        if !areCountsDeferred { add(rollup, to: key) }
    }

    func deferCounts() { areCountsDeferred = true }

    private func add(_ rollup: Rollup, to key: RollupKey) {
        let before = rollups[key.span]?[key.at]
        undo.append { $0.rollups[key.span, default: [:]][key.at] = before }
        var all = before ?? [:]
        let isNew = all[key.identifier] == nil
        let name = isNew && all.count >= StoredRollup.identifierLimit ? "" : key.identifier
        all[name, default: Rollup()] += rollup
        rollups[key.span, default: [:]][key.at] = all
    }

    func rollups(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) -> [StoredRollup] {
        var found: [StoredRollup] = []
        for (at, all) in rollups[span, default: [:]] where dates.contains(at) {
            for (name, rollup) in all
            where identifier.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true {
                found.append(StoredRollup(name, at: at, rollup))
            }
        }
        return found.sorted {
            $0.at != $1.at
                ? $0.at < $1.at
                : $0.identifier.utf8.lexicographicallyPrecedes($1.identifier.utf8)
        }
    }

    func foldMinutes(before date: Int64) -> Bool {
        let minutes = rollups(.minute, of: nil, in: 0..<max(0, date))
        for minute in minutes {
            let hour = RollupSpan.hour.beginning(of: minute.at)
            add(minute.rollup, to: RollupKey(.hour, minute.identifier, at: hour))
        }
        removeRollups(.minute, before: date)
        return !minutes.isEmpty
    }

    func removeHours(before date: Int64) { removeRollups(.hour, before: date) }

    private func removeRollups(_ span: RollupSpan, before date: Int64) {
        guard let before = rollups[span], before.contains(where: { $0.key < date }) else { return }
        undo.append { $0.rollups[span] = before }
        rollups[span] = before.filter { $0.key >= date }
    }

    func schedules() -> [StoredSchedule] { planned.values.sorted { $0.name < $1.name } }

    func schedule(_ name: String) -> StoredSchedule? { planned[name] }

    func put(_ schedule: StoredSchedule) { plan(schedule, schedule.name) }

    func removeSchedule(_ name: String) { plan(nil, name) }

    private func plan(_ schedule: StoredSchedule?, _ name: String) {
        let old = planned[name]
        undo.append { $0.planned[name] = old }
        planned[name] = schedule
    }

    // MARK: Values

    func value(_ name: String) -> [UInt8]? { values[name] }

    func setValue(_ name: String, _ value: [UInt8]?) {
        let old = values[name]
        undo.append { $0.values[name] = old }
        values[name] = value
    }
}
