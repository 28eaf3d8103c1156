// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A change of the store; several jobs share one transaction.
struct RequestJob: Sendable {
    /// Called inside the transaction, and again after one that was not committed. Nil changes nothing, and
    /// needs no transaction: its batch does what is due, as every batch does.
    let apply:
        (@Sendable (inout RequestBook, any StoreTransaction, Moment) throws(StoreFault) -> Void)?
    /// Called once: with nil after the commit, or with the reason for which there was none.
    let finish: @Sendable (StoreFault?) -> Void
    /// The number of requests that it submits, and the request whose task ends with it, for stores that are asked for
    /// all at once.
    var submissions = 0
    var ended: RequestID?
    /// The change has happened already: it is retried until it is committed or the store is closed.
    var isOwed = false
    /// Called in the batch in which an owed job could not be committed the first time.
    var deferred: (@Sendable () -> Void)?
}

/// The result of a job, for the thread that waits for it.
final class RequestAnswer<Value: Sendable>: @unchecked Sendable {
    // Sendable: written inside the batch, read after its end.

    var value: Value?
    var fault: StoreFault?

    /// Returns the result. Called after the batch.
    func get() throws(RequestFailure) -> Value {
        if let fault { throw .store(fault) }
        guard let value else { fatalError("a job of the requests was committed and not applied") }
        return value
    }
}
