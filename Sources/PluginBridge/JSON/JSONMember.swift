// SPDX-License-Identifier: Apache-2.0

/// A key of an object with its value.
package struct JSONMember: Hashable, Sendable {
    package let key: String
    package let keyPosition: JSONPosition
    /// The number of columns of the key with its quotes.
    package let keyWidth: Int
    package let value: JSONValue
}
