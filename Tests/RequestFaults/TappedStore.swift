// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A store with somebody between it and its user, who is asked at each point of a transaction and may
/// end the process there, or throw what a store would throw.
package final class TappedStore: RequestStore {
    /// Called on the thread that uses the store.
    package typealias Tap = @Sendable (StorePoint) throws(StoreFault) -> Void

    private let store: any RequestStore
    private let tap: Tap

    package init(_ store: any RequestStore, tap: @escaping Tap) {
        self.store = store
        self.tap = tap
    }

    package var usesOutlook: Bool { store.usesOutlook }

    package func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try write(expecting: Outlook(), body) }

    package func write<Result>(
        expecting outlook: Outlook,
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try tap(.asked)
        let result = try store.write(expecting: outlook) { [tap] (transaction) throws(StoreFault) in
            try tap(.begun)
            let result = try body(TappedTransaction(transaction, tap: tap))
            try tap(.done)
            return result
        }
        try tap(.committed)
        return result
    }

    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try tap(.asked)
        return try store.read { [tap] (transaction) throws(StoreFault) in
            try tap(.begun)
            return try body(TappedTransaction(transaction, tap: tap))
        }
    }

    package func dataVersion() throws(StoreFault) -> Int64 { try store.dataVersion() }

    package var isSettled: Bool { store.isSettled }
}
