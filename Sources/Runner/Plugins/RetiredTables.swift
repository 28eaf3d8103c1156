// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Tables of hosts that are gone, for the next host that loads the same library.
///
/// A library stays mapped for the life of the process, and a thread of its own may call through a
/// table that it was given long ago. So a table is never freed, and serves nobody else's plugin:
/// such a call is answered by the table, or by a later host that has loaded the same plugin, which
/// knows none of the old task ids. There are as many as hosts had at a time.
enum RetiredTables {
    private static let tables = Locked<[String: [PluginTable]]>([:])

    /// A table for a library at a path, or for an embedder, whose path is "".
    static func take(_ library: String) -> PluginTable {
        tables.withLock { $0[library]?.popLast() } ?? PluginTable()
    }

    /// Nobody may be inside, and the gate be closed. `isOwed`: a task was never answered, so that
    /// somebody has a right to call, and to be told that the host is closed.
    static func put(_ table: PluginTable, _ library: String, isOwed: Bool) {
        table.letGo()
        if isOwed {
            table.leak()
        } else {
            tables.withLock { $0[library, default: []].append(table) }
        }
    }
}
