// SPDX-License-Identifier: Apache-2.0

/// Stores requests: the port for stores.
///
/// A store is used by one thread at a time.
package protocol RequestStore: AnyObject {
    /// Does what `body` does, all of it or nothing; on return it is as durable as the store can make
    /// it. With a throw, `body`'s or the store's own, nothing was done, unless its kind is `unknown`.
    func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    /// Reads the store: all that `body` sees is of one moment, and it writes nothing.
    func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    /// A number that changes when another connection has changed the store.
    func dataVersion() throws(StoreFault) -> Int64
}
