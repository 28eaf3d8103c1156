// SPDX-License-Identifier: Apache-2.0

/// A value of a property list with its position.
struct PropertyListValue {
    enum Kind {
        /// In the order of the file; no two members have the same key.
        case dictionary([PropertyListMember])
        case array([PropertyListValue])
        case string(String)
        /// Checked and thrown away: nothing that is read from a list is one. What it is, for
        /// messages: `a number`, `a date`.
        case other(String)
    }

    let kind: Kind
    let place: PropertyListPlace

    /// The kind of the value, for messages.
    var noun: String {
        switch kind {
        case .dictionary: "a dictionary"
        case .array: "an array"
        case .string: "text"
        case .other(let noun): noun
        }
    }
}

/// A key of a dictionary of a property list with its value.
struct PropertyListMember {
    let key: String
    let value: PropertyListValue
}
