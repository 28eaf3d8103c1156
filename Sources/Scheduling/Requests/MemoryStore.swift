// SPDX-License-Identifier: Apache-2.0

/// A store in memory, for tests and for embedders without a file.
package final class MemoryStore: RequestStore {
    private var contents = MemoryContents()

    package init() {}

    package func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        defer { contents.forgetChanges() }
        return try contents.nested { () throws(StoreFault) in try body(contents) }
    }

    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try body(contents) }

    /// No other process can use a memory store.
    package func dataVersion() -> Int64 { 0 }
}
