// SPDX-License-Identifier: Apache-2.0

/// The pending requests that differ only in their dates. Only the first of them has to be
/// considered, however many there are.
package struct RequestQueue: Hashable, Sendable, Comparable {
    /// The identifier of the handler.
    package let identifier: String
    /// The kind of the handler.
    package let kind: TaskKind
    /// The conditions.
    package let needs: RequestNeeds
    /// The priority of the requests.
    package let priority: RequestPriority
    /// The state of the machine for which they wait.
    package let opportunistic: RequestWish
    /// Their longest wait for it, in nanoseconds; 0 for no limit.
    package let atMost: UInt64

    package init(
        identifier: String, kind: TaskKind, needs: RequestNeeds = [],
        priority: RequestPriority = .normal, opportunistic: RequestWish = .no, atMost: UInt64 = 0
    ) {
        self.identifier = identifier
        self.kind = kind
        self.needs = needs
        self.priority = priority
        self.opportunistic = opportunistic
        self.atMost = atMost
    }

    /// Whether its requests wait for the host's budget, launch rate and usual hours: no user waits
    /// for them.
    var isPatient: Bool { opportunistic != .no && kind != .continuedProcessing }

    /// The queue of requests that no longer wait for a state of the machine.
    var withoutWish: RequestQueue {
        RequestQueue(identifier: identifier, kind: kind, needs: needs, priority: priority)
    }

    /// Orders queues by their members in this order; texts by their bytes.
    package static func < (a: Self, b: Self) -> Bool {
        if a.identifier != b.identifier {
            return a.identifier.utf8.lexicographicallyPrecedes(b.identifier.utf8)
        }
        return (
            a.kind.rawValue, a.needs.rawValue, a.priority.rawValue, a.opportunistic.rawValue,
            a.atMost
        ) < (
            b.kind.rawValue, b.needs.rawValue, b.priority.rawValue, b.opportunistic.rawValue,
            b.atMost
        )
    }
}
