// SPDX-License-Identifier: Apache-2.0

/// One key of an object with its value.
public struct JSONMember: Hashable, Sendable {
    public let key: String
    public let keyPosition: JSONPosition
    /// How many columns the key takes with its quotes.
    public let keyWidth: Int
    public let value: JSONValue
}
