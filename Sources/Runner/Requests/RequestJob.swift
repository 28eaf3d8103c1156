// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Something that is to be written into the store, with others in one transaction.
struct RequestJob: Sendable {
    /// Called inside the transaction; may be called again, after one that was not committed.
    let apply:
        @Sendable (inout RequestBook, any StoreTransaction, Moment) throws(StoreFault) -> Void
    /// Called once: after the commit with nil, or with why there was none.
    let finish: @Sendable (StoreFault?) -> Void
    /// It has happened already: it is tried again until it is committed, and finished then, or when
    /// the host leaves the store.
    var isOwed = false
    /// Called in the turn in which an owed job could not be committed the first time.
    var deferred: (@Sendable () -> Void)?
}
