// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// What a host has counted of requests since it was made, for measurements from outside.
package struct RequestStatistics: Sendable {
    /// At most a second old. By identifier; "" for what others than the first `StoredRollup.identifierLimit` did.
    package private(set) var totals: [String: Rollup] = [:]
    /// Seconds that transactions of the store took.
    package private(set) var commits = Histogram([
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    ])
    /// How often other hosts have taken over the requests of this one.
    package var lostLeases = 0

    /// Counts a transaction that was committed.
    ///
    /// - Parameter elapsed: nanoseconds.
    mutating func committed(in elapsed: UInt64) { commits.add(Double(elapsed) / 1e9) }

    mutating func add(_ counted: RollupSums) {
        for (key, rollup) in counted.byKey {
            let identifier = key.identifier
            let isKnown =
                totals[identifier] != nil || totals.count < StoredRollup.identifierLimit
            totals[isKnown ? identifier : "", default: Rollup()] += rollup
        }
    }
}
