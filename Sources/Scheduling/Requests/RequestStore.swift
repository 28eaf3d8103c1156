// SPDX-License-Identifier: Apache-2.0

/// The port for stores of requests.
///
/// One thread uses a store at a time.
package protocol RequestStore: AnyObject {
    /// Runs `body` in a transaction; on return it is as durable as the store can make it. If `body`
    /// or the store throws, nothing was changed, unless the fault's kind is `unknown`.
    func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    /// Runs `body` like `write(_:)`.
    ///
    /// - Parameter outlook: what `body` is going to ask for.
    func write<Result>(
        expecting outlook: Outlook,
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    /// Whether an outlook is of use to it.
    var usesOutlook: Bool { get }

    /// A setting of the store that puts acknowledged requests at risk, for people: lower case, no full stop; nil if none is
    /// known.
    var warning: String? { get }

    /// Reads the store: `body` sees one consistent state and writes nothing.
    func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    /// Returns a number that changes when another connection has changed the store.
    func dataVersion() throws(StoreFault) -> Int64
    /// Whether all that the last data version counts can be read. If not, it is to be asked for again soon.
    var isSettled: Bool { get }
}

extension RequestStore {
    package var usesOutlook: Bool { false }
    package var isSettled: Bool { true }
    package var warning: String? { nil }

    package func write<Result>(
        expecting outlook: Outlook,
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try write(body) }
}
