// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON document with its position.
public struct JSONValue: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
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

    public let kind: Kind
    /// The beginning of the value: its quote, bracket, brace, or first character.
    public let position: JSONPosition
    /// The number of columns to underline: the whole of a plain value, the bracket of a compound
    /// one.
    public let width: Int

    /// The kind of the value, for messages: `text`, `a number`, …
    public var noun: String {
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
