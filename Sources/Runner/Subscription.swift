// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Synchronization

/// Somebody who wants an event each time.
final class Subscription: @unchecked Sendable {
    // Sendable: everything but the flag is constant; C functions and contexts may be used from the
    // loop's thread until the subscription ends, as their owner promised.

    /// How the event is passed on.
    enum Receiver {
        /// A C function with exactly the declared parameters.
        case typed(curfew_any_function)
        /// A C function for every event.
        case generic(curfew_event_function, UnsafeMutableRawPointer?)
        /// A closure for every event.
        case closure(@Sendable (HostEvent) -> Void)
    }

    let number: UInt64
    /// Nil: all events.
    let event: UInt32?
    let receiver: Receiver
    let active = Atomic<Bool>(true)

    init(number: UInt64, event: UInt32?, receiver: Receiver) {
        self.number = number
        self.event = event
        self.receiver = receiver
    }
}
