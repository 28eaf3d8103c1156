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
            schedules.append(try ScheduleRow.schedule(at: statement, in: path))
        }
        return schedules
    }

    func put(_ schedule: StoredSchedule) throws(StoreFault) {
        try change(.putSchedule) { ScheduleRow.put(schedule, to: $0) }
    }

    func removeSchedule(_ name: String) throws(StoreFault) {
        try change(.removeSchedule) { $0.put(name) }
    }
}
