// SPDX-License-Identifier: Apache-2.0

/// The roll-up of an identifier for one span of time.
package struct StoredRollup: Hashable, Sendable {
    /// The most identifiers that are told apart in one minute. What others do counts for the identifier "".
    package static let identifierLimit = 200

    package let identifier: String
    /// When the span begins, in nanoseconds since 1970 in UTC.
    package let at: Int64
    package var rollup: Rollup

    package init(_ identifier: String, at: Int64, _ rollup: Rollup) {
        (self.identifier, self.at, self.rollup) = (identifier, at, rollup)
    }
}
