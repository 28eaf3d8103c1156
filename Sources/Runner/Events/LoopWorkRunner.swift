// SPDX-License-Identifier: Apache-2.0

/// Runs work on the loop's thread one piece at a time, even where a piece runs the loop.
final class LoopWorkRunner: @unchecked Sendable {
    // Sendable: the variables belong to the thread that runs the loop.

    private let delivery: EventDelivery
    private(set) var isWorking = false
    /// Work that was taken during other work, in a nested run of the loop.
    private var postponed: [LoopWork] = []

    init(_ delivery: EventDelivery) { self.delivery = delivery }

    /// Runs work now, or after the current work returns, so that no work sees other work half done.
    func perform(_ work: LoopWork) {
        guard !isWorking else {
            postponed.append(work)
            return
        }
        directly { work.body() }
    }

    /// Runs `body` as part of the current work, or as new work.
    func directly<T>(_ body: () -> T) -> T {
        guard !isWorking else { return body() }
        delivery.becomeAttentive()
        // Work may wait for a thread that is ending a subscription.
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

/// A closure that runs on the loop's thread, in queue order among the events.
final class LoopWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
