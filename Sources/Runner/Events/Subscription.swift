// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A subscription to one event or to all events.
final class Subscription: @unchecked Sendable {
    // Sendable: the counts are atomic; `receiver` is cleared once, when no delivery can be inside
    // it; the rest is constant.

    let number: UInt64
    /// The index of the event, or nil for all events.
    let event: UInt32?
    private(set) var receiver: EventReceiver?
    let active = Atomic<Bool>(true)
    /// Nested deliveries that are inside the receiver.
    let running = Atomic<UInt32>(0)

    init(number: UInt64, event: UInt32?, receiver: EventReceiver) {
        self.number = number
        self.event = event
        self.receiver = receiver
    }
    /// Releases the receiver of an ended subscription, which the loop may still have cached.
    func letGo() { receiver = nil }
}
