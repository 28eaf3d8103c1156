// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Scheduling

extension StoreClient {
    /// Requests that are cancelled in one transaction: some milliseconds.
    static let portion = 500

    /// Cancels all requests that wait, and tells the host. Others can use the store meanwhile: it is done
    /// in portions, with a pause as long as each took after it.
    ///
    /// - Parameters:
    ///   - identifier: whose requests; nil: those of all identifiers.
    ///   - now: the date that is written down, in nanoseconds since 1970.
    ///   - portion: called after each with those that it cancelled, as they were before. With a throw
    ///     these stay cancelled, and the others wait.
    package func cancelWaiting(
        of identifier: String?, at now: Int64, _ portion: ([Request]) -> Void
    ) throws(StoreFault) {
        var filter = RequestFilter(
            states: [.pending, .parked], identifier: identifier, limit: Self.portion)
        while true {
            let begun = ContinuousClock.now
            let cancelled = try write { (ledger, store) throws(StoreFault) in
                let found = try store.requests(filter)
                for request in found { _ = try ledger.cancel(request.id, at: now, store) }
                return found
            }
            portion(cancelled)
            guard let last = cancelled.last, cancelled.count == filter.limit else { return }
            filter.after = last.id
            // Whoever waits for the lock looks for it now and then, and would not find it free.
            let took = ContinuousClock.now - begun
            usleep(UInt32(min(took / .microseconds(1), 100_000)))
        }
    }
}
