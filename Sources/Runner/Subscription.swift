// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Somebody who wants an event each time.
final class Subscription: @unchecked Sendable {
    // Sendable: everything is constant or atomic.

    let number: UInt64
    /// Nil: all events.
    let event: UInt32?
    let receiver: EventReceiver
    let active = Atomic<Bool>(true)
    /// How many deliveries are inside the receiver: one, or more where it turns the loop.
    let running = Atomic<UInt32>(0)

    init(number: UInt64, event: UInt32?, receiver: EventReceiver) {
        self.number = number
        self.event = event
        self.receiver = receiver
    }
}
