// SPDX-License-Identifier: Apache-2.0

/// Runs work on the loop's thread, one piece at a time, also where a piece runs the loop from inside.
final class LoopWorkRunner: @unchecked Sendable {
    // Sendable: the variables belong to the thread that runs the loop, one at a time.

    private let delivery: EventDelivery
    /// The loop's thread is inside work.
    private(set) var isWorking = false
    /// Work whose turn came meanwhile, in a run of the loop inside that work.
    private var postponed: [LoopWork] = []

    init(_ delivery: EventDelivery) { self.delivery = delivery }

    /// Does work now, or once the work that this thread is inside of has returned: that one may have
    /// run the loop, and no other is to see it half-way.
    func perform(_ work: LoopWork) {
        guard !isWorking else {
            postponed.append(work)
            return
        }
        directly { work.body() }
    }

    /// Runs `body` as a part of the work that this thread is inside of, or as work.
    func directly<T>(_ body: () -> T) -> T {
        guard !isWorking else { return body() }
        delivery.becomeAttentive()
        // Work may wait for a thread that ends a subscription.
        if delivery.nesting == 0 { delivery.receiver.leave() }
        isWorking = true
        delivery.nesting += 1
        defer {
            while !postponed.isEmpty { postponed.removeFirst().body() }
            delivery.nesting -= 1
            isWorking = false
        }
        return body()
    }
}
