// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Somebody who wants an event each time.
final class Subscription: @unchecked Sendable {
    // Sendable: the counts are atomic; `receiver` is changed once, when nobody is inside it or will
    // be any more; the rest is constant.

    let number: UInt64
    /// Nil: all events.
    let event: UInt32?
    private(set) var receiver: EventReceiver?
    let active = Atomic<Bool>(true)
    /// How many deliveries are inside the receiver: one, or more where it turns the loop.
    let running = Atomic<UInt32>(0)

    init(number: UInt64, event: UInt32?, receiver: EventReceiver) {
        self.number = number
        self.event = event
        self.receiver = receiver
    }
    /// It has ended: lets go of what the receiver holds, though the loop may remember the
    /// subscription until the next event.
    func letGo() { receiver = nil }
}
