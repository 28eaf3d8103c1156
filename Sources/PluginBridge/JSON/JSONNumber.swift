// SPDX-License-Identifier: Apache-2.0

/// A number as it was written; what it means is up to the reader.
package struct JSONNumber: Hashable, Sendable {
    /// The text of the number, exactly.
    package let literal: String

    /// The whole number, when it was written without fraction and exponent and fits.
    package var integer: Int64? { Int64(literal) }

    /// The nearest double, or nil when that is infinite, as for `1e400`.
    package var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }
}
