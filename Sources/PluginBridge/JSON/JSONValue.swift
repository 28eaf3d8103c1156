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

/// A key of an object with its value.
package struct JSONMember: Hashable, Sendable {
    package let key: String
    package let keyPosition: JSONPosition
    /// The number of columns of the key with its quotes.
    package let keyWidth: Int
    package let value: JSONValue
}

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
