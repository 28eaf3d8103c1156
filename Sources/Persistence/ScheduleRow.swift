// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// A schedule as a row of its table.
enum ScheduleRow {
    static let all = "name, digest, request, source, changed_at"

    static func put(_ schedule: StoredSchedule, to row: some RowSink) {
        row.put(schedule.name)
        row.put(schedule.digest)
        row.put(schedule.request.map { Int64(clamping: $0.rawValue) })
        row.put(schedule.source)
        row.put(schedule.changedAt)
    }

    /// Reads the columns `all`.
    static func schedule(
        at row: some StoredRow, in path: String
    ) throws(StoreFault) -> StoredSchedule {
        var row = RowReader(row, of: "schedule", id: 0, in: path)
        let name = try row.text()
        let digest = try row.text()
        let request = try row.optional(1 ... .max)
        return StoredSchedule(
            name: name, digest: digest, request: request.map { RequestID(rawValue: UInt64($0)) },
            source: try row.text(), changedAt: try row.date())
    }
}
