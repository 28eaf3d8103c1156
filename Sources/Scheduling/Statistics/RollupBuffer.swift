// SPDX-License-Identifier: Apache-2.0

/// What a transaction counts.
package struct RollupBuffer: Sendable {
    /// What is not stored yet.
    private var unstored = RollupSums()
    /// All that was counted in the transaction.
    package private(set) var counted = RollupSums()
    /// What was counted is stored by whoever has begun the transaction, in a later one.
    package var isDeferred = false

    package init() {}

    package mutating func count(_ rollup: Rollup, in key: RollupKey) {
        if !isDeferred { unstored.add(rollup, to: key) }
        counted.add(rollup, to: key)
    }

    /// Adds what was counted before to another span.
    package mutating func move(_ rollup: Rollup, to key: RollupKey) {
        unstored.add(rollup, to: key)
    }

    /// Returns what is to be stored, and takes it for stored.
    package mutating func takeUnstored() -> [RollupKey: Rollup] {
        if unstored.isEmpty { return [:] }
        defer { unstored.removeAll() }
        return unstored.byKey
    }

    /// Forgets all, for the next transaction.
    package mutating func reset() {
        unstored.removeAll()
        counted.removeAll()
        isDeferred = false
    }
}
