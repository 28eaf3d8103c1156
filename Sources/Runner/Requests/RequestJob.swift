// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A change of the store; several jobs share one transaction.
struct RequestJob: Sendable {
    /// Called inside the transaction, and again after one that was not committed.
    let apply:
        @Sendable (inout RequestBook, any StoreTransaction, Moment) throws(StoreFault) -> Void
    /// Called once: with nil after the commit, or with the reason for which there was none.
    let finish: @Sendable (StoreFault?) -> Void
    /// The change has happened already: it is retried until it is committed or the store is closed.
    var isOwed = false
    /// Called in the batch in which an owed job could not be committed the first time.
    var deferred: (@Sendable () -> Void)?
}
