// SPDX-License-Identifier: Apache-2.0

/// A store that is gone with its process: for embedders who want no file, and for tests.
public final class MemoryStore: RequestStore {
    private var contents = MemoryContents()

    public init() {}

    public func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        defer { contents.forgetChanges() }
        return try contents.nested { () throws(StoreFault) in try body(contents) }
    }

    public func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try body(contents) }

    /// No other process can use a memory store.
    public func dataVersion() -> Int64 { 0 }
}
