// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension PostgresTransaction {
    var newCounts: RollupSums { counting.counted }

    func deferCounts() { counting.isDeferred = true }

    func count(_ rollup: Rollup, in key: RollupKey) throws(StoreFault) {
        checkMayWrite()
        counting.count(rollup, in: key)
    }

    /// Sends what was counted since the last time.
    func sendRollups() throws(StoreFault) {
        let rollups = counting.takeUnstored()
        if rollups.isEmpty { return }
        var sums: [RollupKey: Rollup] = [:]
        for (key, rollup) in rollups { sums[named.key(key), default: Rollup()] += rollup }
        // In one order for all: clients share rows.
        for (key, rollup) in sums.sorted(by: { $0.key.goesBefore($1.key) }) {
            let numbers = rollup.numbers.map { "\($0)" }.joined(separator: ",")
            try connection.send(.addRollup) {
                $0.put(key.span.rawValue)
                $0.put(key.at)
                $0.put(key.identifier)
                $0.put(host ?? entered ?? 0)
                $0.put("{\(numbers)}")
            }
        }
    }

    func rollups(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) throws(StoreFault) -> [StoredRollup] {
        try sendRollups()
        let answer = try ask(.rollups) {
            $0.put(span.rawValue)
            $0.put(dates.lowerBound)
            $0.put(dates.upperBound)
            $0.put(identifier)
        }
        var rollups: [StoredRollup] = []
        for next in try answer.rows.map({ (row) throws(StoreFault) in try rollup(at: row) }) {
            // Of several hosts.
            if let last = rollups.last, last.at == next.at,
                last.identifier.utf8.elementsEqual(next.identifier.utf8)
            {
                rollups[rollups.count - 1].rollup += next.rollup
            } else {
                rollups.append(next)
            }
        }
        return rollups
    }

    private func rollup(at row: PostgresRow) throws(StoreFault) -> StoredRollup {
        let text = row.text(2) ?? ""
        var reader = RowReader(row, of: "rollup", id: 0, in: path)
        let at = try reader.date()
        let identifier = try reader.text()
        let numbers = text.dropFirst().dropLast().split(separator: ",").map { Int64($0) }
        guard text.utf8.first == UInt8(ascii: "{"), !numbers.contains(nil),
            let rollup = Rollup(numbers.compactMap { $0 })
        else { throw reader.nonsense("counts") }
        return StoredRollup(identifier, at: at, rollup)
    }

    func foldMinutes(before date: Int64) throws(StoreFault) -> Bool {
        try sendRollups()
        let answer = try ask(.takeRollups) {
            $0.put(RollupSpan.minute.rawValue)
            $0.put(date)
        }
        guard answer.count > 0 else { return false }
        checkMayWrite()
        for row in answer.rows {
            let minute = try rollup(at: row)
            let hour = RollupSpan.hour.beginning(of: minute.at)
            counting.move(minute.rollup, to: RollupKey(.hour, minute.identifier, at: hour))
        }
        return true
    }

    func removeHours(before date: Int64) throws(StoreFault) {
        try change(.removeRollups) {
            $0.put(RollupSpan.hour.rawValue)
            $0.put(date)
        }
    }
}
