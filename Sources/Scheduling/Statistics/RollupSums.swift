// SPDX-License-Identifier: Apache-2.0

/// Sums of roll-ups by their keys.
///
/// Most transactions count for one or two keys. Comparing a few keys is cheaper than hashing one.
package struct RollupSums: Sendable {
    private struct Sum {
        let key: RollupKey
        var rollup: Rollup
    }

    private var recent: [Sum] = []
    private var others: [RollupKey: Rollup] = [:]
    /// The most keys that are compared.
    private static let recentLimit = 8

    package init() {}

    package var isEmpty: Bool { recent.isEmpty && others.isEmpty }

    package mutating func add(_ rollup: Rollup, to key: RollupKey) {
        if let index = recent.lastIndex(where: { $0.key == key }) {
            recent[index].rollup += rollup
            return
        }
        if recent.count == Self.recentLimit { settle() }
        recent.append(Sum(key: key, rollup: rollup))
    }

    package mutating func add(_ sums: RollupSums) {
        for sum in sums.recent { add(sum.rollup, to: sum.key) }
        for (key, rollup) in sums.others { add(rollup, to: key) }
    }

    package mutating func removeAll() {
        recent.removeAll(keepingCapacity: true)
        if !others.isEmpty { others = [:] }
    }

    private mutating func settle() {
        for sum in recent { others[sum.key, default: Rollup()] += sum.rollup }
        recent.removeAll(keepingCapacity: true)
    }

    /// Each key with its sum.
    package var byKey: [RollupKey: Rollup] {
        var all = self
        all.settle()
        return all.others
    }
}
