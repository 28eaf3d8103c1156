// SPDX-License-Identifier: Apache-2.0

/// Who gets an event, at one version of the subscriptions: observers of all events, then the
/// event's own subscribers.
///
/// Plain memory, so that delivering counts no references: the loop keeps a list that was replaced
/// until the turn in which it may be walking through it is over.
final class ReceiverList: @unchecked Sendable {
    // Sendable: everything is written in init.

    private(set) var count = 0
    /// The first so many see what a wait takes, too.
    let observers: Int
    private let items: UnsafeMutablePointer<Unmanaged<Subscription>>

    /// Nobody: what every event has at first.
    static let none = ReceiverList(observers: [], subscribers: nil)

    /// `subscribers` nil: they are left out, as nobody will look at them.
    init(observers lists: [SubscriberList], subscribers: SubscriberList?) {
        observers = lists.reduce(0) { $0 + $1.count }
        items = .allocate(capacity: max(1, observers + (subscribers?.count ?? 0)))
        for list in lists { list.forEach(add) }
        subscribers?.forEach(add)
    }

    deinit {
        for index in 0..<count { items[index].release() }
        items.deallocate()
    }

    private func add(_ subscription: Subscription) {
        (items + count).initialize(to: Unmanaged.passRetained(subscription))
        count += 1
    }

    @inline(__always) subscript(index: Int) -> Unmanaged<Subscription> { items[index] }
}
