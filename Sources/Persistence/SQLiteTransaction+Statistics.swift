// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension SQLiteTransaction {
    var newCounts: RollupSums { counting.counted }

    func deferCounts() { counting.isDeferred = true }

    func count(_ rollup: Rollup, in key: RollupKey) throws(StoreFault) {
        counting.count(rollup, in: key)
    }

    /// Stores what was counted since the last time.
    func writeRollups() throws(StoreFault) {
        for (key, rollup) in counting.takeUnstored() { try add(rollup, to: key) }
    }

    private func add(_ rollup: Rollup, to wanted: RollupKey) throws(StoreFault) {
        var key = wanted
        var sum = knownRollups[key]
        if sum == nil { sum = try self.rollup(of: key) }
        if sum == nil, try isFull(key) {
            key = RollupKey(key.span, "", at: key.at)
            sum = try self.rollup(of: key)
        }
        var new = sum ?? Rollup()
        new += rollup
        try change(.putRollup) {
            $0.put(key.span.rawValue)
            $0.put(key.at)
            $0.put(key.identifier)
            $0.put(new.bytes)
        }
        if knownRollups.count >= StoredRollup.identifierLimit { knownRollups = [:] }
        knownRollups[key] = new
    }

    private func rollup(of key: RollupKey) throws(StoreFault) -> Rollup? {
        var found: Rollup?
        try rows(
            .rollup,
            {
                $0.put(key.span.rawValue)
                $0.put(key.at)
                $0.put(key.identifier)
            }
        ) { statement throws(StoreFault) in
            found = try RollupRow.rollup(at: statement, in: path).rollup
        }
        return found
    }

    /// Whether another identifier has no row of its own.
    private func isFull(_ key: RollupKey) throws(StoreFault) -> Bool {
        try number(.countRollups) {
            $0.put(key.span.rawValue)
            $0.put(key.at)
        } ?? 0 >= StoredRollup.identifierLimit
    }

    func rollups(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) throws(StoreFault) -> [StoredRollup] {
        try writeRollups()
        var rollups: [StoredRollup] = []
        try rows(
            .rollups,
            {
                $0.put(span.rawValue)
                $0.put(dates.lowerBound)
                $0.put(dates.upperBound)
                $0.put(identifier)
            }
        ) { statement throws(StoreFault) in
            rollups.append(try RollupRow.rollup(at: statement, in: path))
        }
        return rollups
    }

    func foldMinutes(before date: Int64) throws(StoreFault) -> Bool {
        let minutes = try rollups(.minute, of: nil, in: 0..<max(0, date))
        guard !minutes.isEmpty else { return false }
        for minute in minutes {
            let hour = RollupSpan.hour.beginning(of: minute.at)
            counting.move(minute.rollup, to: RollupKey(.hour, minute.identifier, at: hour))
        }
        try remove(.minute, before: date)
        try writeRollups()
        return true
    }

    func removeHours(before date: Int64) throws(StoreFault) { try remove(.hour, before: date) }

    private func remove(_ span: RollupSpan, before date: Int64) throws(StoreFault) {
        try writeRollups()
        knownRollups = [:]
        try change(.removeRollups) {
            $0.put(span.rawValue)
            $0.put(date)
        }
    }
}
