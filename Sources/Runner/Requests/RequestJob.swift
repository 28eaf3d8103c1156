// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Something that is to be written into the store, with others in one transaction.
struct RequestJob: Sendable {
    /// Called inside the transaction; may be called again, after one that was not committed.
    let apply:
        @Sendable (inout RequestBook, any StoreTransaction, Moment) throws(StoreFault) -> Void
    /// Called once: after the commit with nil, or with why there was none.
    let finish: @Sendable (StoreFault?) -> Void
    /// What has happened already, and has to be written down as soon as that can be done.
    var isOwed = false
    /// Called on the loop's thread after the commit that has it, however late that is.
    var written: (@Sendable () -> Void)?
}
