// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON document with its position.
package struct JSONValue: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// In the order of the text; no two members have the same key.
        case object([JSONMember])
        case array([JSONValue])
        case string(String)
        case number(JSONNumber)
        case bool(Bool)
        case null
        /// An invalid value, which is already noted as a fault.
        case unreadable
    }

    package let kind: Kind
    /// The beginning of the value: its quote, bracket, brace, or first character.
    package let position: JSONPosition
    /// The number of columns to underline: the whole of a plain value, the bracket of a compound
    /// one.
    package let width: Int

    /// The kind of the value, for messages: `text`, `a number`, …
    package var noun: String {
        switch kind {
        case .object: "an object"
        case .array: "an array"
        case .string: "text"
        case .number: "a number"
        case .bool(true): "true"
        case .bool(false): "false"
        case .null: "null"
        case .unreadable: "nothing readable"
        }
    }
}
