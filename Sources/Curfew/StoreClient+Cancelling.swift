// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Scheduling

extension StoreClient {
    /// The number of requests that one transaction cancels, in some milliseconds.
    static let portion = 500

    /// Cancels all waiting requests, and notifies the host. It works in portions, and pauses after
    /// each for as long as it took, so that other processes can use the store.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the requests; nil for all identifiers.
    ///   - now: the recorded date, in nanoseconds since 1970.
    ///   - portion: receives the requests of each portion, as they were before. If a later portion
    ///     throws, the earlier ones stay cancelled.
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
            // A process that waits for the lock polls it, and would never find it free without the
            // pause.
            let took = ContinuousClock.now - begun
            usleep(UInt32(min(took / .microseconds(1), 100_000)))
        }
    }
}
