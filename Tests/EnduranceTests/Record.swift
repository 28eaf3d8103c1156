// SPDX-License-Identifier: Apache-2.0

/// A line that a harness has written: what happened, and what belongs to it.
struct Record: Hashable, Sendable, CustomStringConvertible {
    let kind: String
    let fields: [String]

    init(_ line: String) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        kind = parts.first ?? ""
        fields = Array(parts.dropFirst())
    }

    /// The field with that number, from 0, or "".
    subscript(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

    var description: String { ([kind] + fields).joined(separator: " ") }
}
