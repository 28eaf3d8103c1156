// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// A store in memory whose commits fail when they are told to.
final class FaultyStore: RequestStore {
    private let store = MemoryStore()
    /// The next so many commits fail, and undo everything.
    var failures = 0

    func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try store.write { (transaction) throws(StoreFault) in
            let result = try body(transaction)
            guard failures == 0 else {
                failures -= 1
                throw StoreFault(.full, "no space is left")
            }
            return result
        }
    }

    func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try store.read(body) }

    func dataVersion() -> Int64 { store.dataVersion() }
}
