// SPDX-License-Identifier: Apache-2.0
internal import CSystem
package import Scheduling

extension SQLiteStore {
    /// Returns the first request of each queue of a store, without opening it for writing: nothing of it is changed,
    /// and tables of an earlier version stay as they are. At most `limit` queues.
    ///
    /// Throws `.newer` for a store of another version, later or earlier.
    package static func heads(
        directory: String, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)] {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try SQLiteConnection(place.database, for: .looking)
        let version = try version(of: connection)
        guard version == SQLiteSchema.version else {
            throw StoreFault(
                .newer,
                "\(place.path) has tables of version \(version), and this Curfew uses version \(SQLiteSchema.version); start what uses it once with this Curfew"
            )
        }
        let transaction = SQLiteTransaction(connection)
        try transaction.begin(writing: false)
        defer { transaction.rollBack() }
        var heads: [(queue: RequestQueue, head: RequestHead)] = []
        for queue in try transaction.queues(of: nil, limit: limit) {
            if let head = try transaction.head(of: queue) { heads.append((queue, head)) }
        }
        return heads
    }
}
