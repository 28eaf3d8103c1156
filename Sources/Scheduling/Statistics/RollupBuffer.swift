// SPDX-License-Identifier: Apache-2.0

/// What a transaction counts.
package struct RollupBuffer: Sendable {
    /// What is not stored yet.
    private var unstored: [RollupKey: Rollup] = [:]
    /// All that was counted in the transaction.
    package private(set) var counted: [RollupKey: Rollup] = [:]
    /// What was counted is stored by whoever has begun the transaction, in a later one.
    package var isDeferred = false

    package init() {}

    package mutating func count(_ rollup: Rollup, in key: RollupKey) {
        if !isDeferred { unstored[key, default: Rollup()] += rollup }
        counted[key, default: Rollup()] += rollup
    }

    /// Adds what was counted before to another span.
    package mutating func move(_ rollup: Rollup, to key: RollupKey) {
        unstored[key, default: Rollup()] += rollup
    }

    /// Returns what is to be stored, and takes it for stored.
    package mutating func takeUnstored() -> [RollupKey: Rollup] {
        if unstored.isEmpty { return unstored }
        defer { unstored = [:] }
        return unstored
    }
}
