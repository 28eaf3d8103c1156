// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Somebody who wants an event each time.
final class Subscription: @unchecked Sendable {
    // Sendable: everything but the flag is constant.

    let number: UInt64
    /// Nil: all events.
    let event: UInt32?
    let receiver: EventReceiver
    let active = Atomic<Bool>(true)

    init(number: UInt64, event: UInt32?, receiver: EventReceiver) {
        self.number = number
        self.event = event
        self.receiver = receiver
    }
}
