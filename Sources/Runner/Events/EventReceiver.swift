// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// How an event is passed on to a subscriber, on the thread that turns the loop.
package enum EventReceiver: @unchecked Sendable {
    // Sendable: C functions and contexts may be used from the loop's thread until the subscription
    // ends, as their owner promised.

    /// A C function with its data and exactly the declared parameters.
    case typed(curfew_any_function, UnsafeMutableRawPointer?)
    /// A C function for every event.
    case generic(curfew_event_function, UnsafeMutableRawPointer?)
    /// A closure for every event.
    case closure(@Sendable (HostEvent) -> Void)
}
