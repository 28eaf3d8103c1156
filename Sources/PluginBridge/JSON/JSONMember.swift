// SPDX-License-Identifier: Apache-2.0

/// A key of an object with its value.
public struct JSONMember: Hashable, Sendable {
    public let key: String
    public let keyPosition: JSONPosition
    /// The number of columns of the key with its quotes.
    public let keyWidth: Int
    public let value: JSONValue
}
