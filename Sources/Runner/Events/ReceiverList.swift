// SPDX-License-Identifier: Apache-2.0

/// Who gets an event, at one version of the subscriptions: observers of all events, then the
/// event's own subscribers.
///
/// Plain memory, so that delivering counts no references: the loop keeps a list that was replaced
/// until the turn in which it may be walking through it is over.
final class ReceiverList: Sendable {
    let count: Int
    /// The first so many observe all events.
    let observers: Int
    private nonisolated(unsafe) let items: UnsafeMutablePointer<Unmanaged<Subscription>>

    /// Nobody: what every event has at first.
    static let none = ReceiverList(observers: [], subscribers: [])

    init(observers: [Subscription], subscribers: [Subscription]) {
        self.observers = observers.count
        count = observers.count + subscribers.count
        items = .allocate(capacity: max(1, count))
        for (index, subscription) in (observers + subscribers).enumerated() {
            (items + index).initialize(to: Unmanaged.passRetained(subscription))
        }
    }

    deinit {
        for index in 0..<count { items[index].release() }
        items.deallocate()
    }

    @inline(__always) subscript(index: Int) -> Unmanaged<Subscription> { items[index] }
}
