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

    package init(
        identifier: String, kind: TaskKind, needs: RequestNeeds = [],
        priority: RequestPriority = .normal
    ) {
        self.identifier = identifier
        self.kind = kind
        self.needs = needs
        self.priority = priority
    }

    /// Orders queues by identifier, kind, needs and priority; texts by their bytes.
    package static func < (a: Self, b: Self) -> Bool {
        if a.identifier != b.identifier {
            return a.identifier.utf8.lexicographicallyPrecedes(b.identifier.utf8)
        }
        return (a.kind.rawValue, a.needs.rawValue, a.priority.rawValue)
            < (b.kind.rawValue, b.needs.rawValue, b.priority.rawValue)
    }
}
