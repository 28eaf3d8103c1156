// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// A roll-up as a row of SQLite's table.
enum RollupRow {
    static let all = "at, identifier, counts"

    /// Reads the columns `all`.
    static func rollup(
        at row: some StoredRow, in path: String
    ) throws(StoreFault) -> StoredRollup {
        let bytes = row.bytes(2)
        var row = RowReader(row, of: "rollup", id: 0, in: path)
        let at = try row.date()
        let identifier = try row.text()
        guard let rollup = Rollup(bytes: bytes) else { throw row.nonsense("counts") }
        return StoredRollup(identifier, at: at, rollup)
    }
}
