// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Subscriptions in the order in which they were made.
///
/// One that ends stays in its place, marked as ended, until half of them have: looking for it, or
/// closing the gap, would take as long as there are many. Who goes through them passes over it.
struct SubscriberList {
    private var items: [Subscription] = []
    private var ended = 0
    /// The version of the directory's subscriptions that last changed this list; 0: none has.
    private(set) var changed: UInt64 = 0

    /// How many have not ended.
    var count: Int { items.count - ended }

    mutating func add(_ subscription: Subscription, at version: UInt64) {
        items.append(subscription)
        changed = version
    }

    /// One of them is not active any more.
    mutating func oneEnded(at version: UInt64) {
        changed = version
        ended += 1
        guard ended > items.count / 2 else { return }
        items.removeAll { !$0.active.load(ordering: .relaxed) }
        ended = 0
    }

    func forEach(_ body: (Subscription) -> Void) {
        for item in items where item.active.load(ordering: .relaxed) { body(item) }
    }
}
