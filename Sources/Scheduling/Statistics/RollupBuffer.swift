// SPDX-License-Identifier: Apache-2.0

/// What a transaction counts, until it is committed.
package struct RollupBuffer: Sendable {
    package private(set) var rollups: [RollupKey: Rollup] = [:]

    package init() {}

    package mutating func count(_ rollup: Rollup, in key: RollupKey) {
        rollups[key, default: Rollup()] += rollup
    }
}
