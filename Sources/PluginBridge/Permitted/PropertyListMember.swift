// SPDX-License-Identifier: Apache-2.0

/// A key of a dictionary of a property list with its value.
struct PropertyListMember {
    let key: String
    let value: PropertyListValue
}
