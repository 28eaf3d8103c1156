// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// The callback of a subscription, called on the thread that runs the loop.
package enum EventReceiver: @unchecked Sendable {
    // Sendable: the owner of the C function and its context promised that the loop's thread may use
    // them until the subscription ends.

    /// A C function with its data and exactly the declared parameters.
    case typed(curfew_any_function, UnsafeMutableRawPointer?)
    /// A C function for every event.
    case generic(curfew_event_function, UnsafeMutableRawPointer?)
    case closure(@Sendable (HostEvent) -> Void)
}
