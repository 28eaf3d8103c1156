// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The places in queues before which nothing is left, as far as a host knows.
///
/// A row that was launched stays in the index of what waits until the server may remove it, and under an old snapshot
/// (a dump, a forgotten transaction) it may not: each claim would walk over all that were launched since. So a claim
/// begins after the last request that was launched. What others put before that is found once the floor is a quarter of
/// a second old, or has nothing after it.
final class PostgresFloors {
    private struct Floor {
        var head: RequestHead
        /// CLOCK_MONOTONIC.
        let until: UInt64
    }

    private var floors: [RequestQueue: Floor] = [:]

    /// Nanoseconds for which a floor is used.
    var age: UInt64 = 250_000_000
    private static let limit = 256

    /// Returns the last request before which nothing is left; nil if that is unknown.
    func floor(of queue: RequestQueue, at now: UInt64) -> RequestHead? {
        guard let floor = floors[queue] else { return nil }
        guard now < floor.until else {
            floors[queue] = nil
            return nil
        }
        return floor.head
    }

    /// A request was launched, before which no other one was left when it was claimed.
    func raise(_ queue: RequestQueue, to head: RequestHead, at now: UInt64) {
        if floors[queue] != nil {
            floors[queue]!.head = head
        } else if floors.count < Self.limit {
            floors[queue] = Floor(head: head, until: now + age)
        }
    }

    /// A request was put into a queue.
    func lower(_ queue: RequestQueue, to head: RequestHead) {
        if let floor = floors[queue], head.isBefore(floor.head) { floors[queue] = nil }
    }

    func drop(_ queue: RequestQueue) { floors[queue] = nil }

    func dropAll() { floors = [:] }
}
