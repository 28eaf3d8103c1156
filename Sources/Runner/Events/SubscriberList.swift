// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Subscriptions in the order they were made.
///
/// An ended subscription stays in place until half of them have ended, because finding and removing
/// it takes linear time. Iteration skips it.
struct SubscriberList {
    private var items: [Subscription] = []
    private var ended = 0
    /// The directory version of the last change; 0: none.
    private(set) var changed: UInt64 = 0

    var count: Int { items.count - ended }

    mutating func add(_ subscription: Subscription, at version: UInt64) {
        items.append(subscription)
        changed = version
    }

    /// Counts one subscription that has become inactive.
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
