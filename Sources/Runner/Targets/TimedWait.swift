// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A wait for an event, or a sleep, with the timer that ends it.
class TimedWait: @unchecked Sendable {
    // Sendable: subclasses add constants only.

    /// The number of the timer; 0 before it is armed, `.max` once the wait is over.
    private let timer = Atomic<UInt64>(0)

    /// Runs `work` on the event loop after `span` ns, unless the wait is over before. Returns false
    /// when the host is stopping.
    func arm(_ work: LoopWork, after span: UInt64, _ deadlines: Deadlines) -> Bool {
        guard let number = deadlines.post(work, after: span) else { return false }
        let isArmed = timer.compareExchange(
            expected: 0, desired: number, ordering: .acquiringAndReleasing
        ).exchanged
        if !isArmed { deadlines.cancelPost(number) }
        return true
    }

    /// Cancels the timer, also one that is armed later.
    func disarm(_ deadlines: Deadlines) {
        let number = timer.exchange(.max, ordering: .acquiringAndReleasing)
        if number != 0, number != .max { deadlines.cancelPost(number) }
    }
}
