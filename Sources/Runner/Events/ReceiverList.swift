// SPDX-License-Identifier: Apache-2.0

/// The receivers of an event at one version: observers of all events, then subscribers.
///
/// Unmanaged memory, so that delivery counts no references. The loop keeps a replaced list until
/// the run that may be iterating it ends.
final class ReceiverList: @unchecked Sendable {
    // Sendable: everything is written in init.

    private(set) var count = 0
    /// The length of the prefix that also sees events that a wait takes.
    let observers: Int
    private let items: UnsafeMutablePointer<Unmanaged<Subscription>>

    static let none = ReceiverList(observers: [], subscribers: nil)

    /// With `subscribers` nil only the observers are listed.
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
