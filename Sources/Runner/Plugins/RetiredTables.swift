// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import PluginBridge

/// Tables of destroyed hosts, for reuse by the next host that loads the same library.
///
/// A library stays mapped for the life of the process, and its own threads may call through a table
/// they were given long ago. So a table is never freed, and never serves another library: such a
/// call is answered by the table itself, or by a later host that has loaded the same plugin and
/// does not know the old task ids. The number of tables is bounded by those in use at a time.
enum RetiredTables {
    private static let tables = Locked<[String: [PluginTable]]>([:])

    /// Returns a table for the library at a path, or for an embedder, whose path is "".
    static func take(_ library: String) -> PluginTable {
        tables.withLock { $0[library]?.popLast() } ?? PluginTable()
    }

    /// Stores a table without callers, whose gate is closed.
    ///
    /// - Parameter isOwed: a task was never answered, so the plugin may still call, and must get
    /// `CLOSING`.
    static func put(_ table: PluginTable, _ library: String, isOwed: Bool) {
        table.letGo()
        if isOwed {
            table.leak()
        } else {
            tables.withLock { $0[library, default: []].append(table) }
        }
    }
}
