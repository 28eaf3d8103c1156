// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension SQLiteTransaction {
    func schedules() throws(StoreFault) -> [StoredSchedule] { try list(.schedules) { _ in } }

    func schedule(_ name: String) throws(StoreFault) -> StoredSchedule? {
        try list(.schedule) { $0.put(name) }.first
    }

    private func list(
        _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void
    ) throws(StoreFault) -> [StoredSchedule] {
        var schedules: [StoredSchedule] = []
        try rows(query, values) { statement throws(StoreFault) in
            var row = RowReader(statement, of: "schedule", id: 0, in: path)
            let name = try row.text()
            let digest = try row.text()
            let request = try row.optional(1 ... .max)
            schedules.append(
                StoredSchedule(
                    name: name, digest: digest,
                    request: request.map { RequestID(rawValue: UInt64($0)) },
                    source: try row.text(), changedAt: try row.date()))
        }
        return schedules
    }

    func put(_ schedule: StoredSchedule) throws(StoreFault) {
        try change(.putSchedule) {
            $0.put(schedule.name)
            $0.put(schedule.digest)
            $0.put(schedule.request.map { Int64(clamping: $0.rawValue) })
            $0.put(schedule.source)
            $0.put(schedule.changedAt)
        }
    }

    func removeSchedule(_ name: String) throws(StoreFault) {
        try change(.removeSchedule) { $0.put(name) }
    }
}
