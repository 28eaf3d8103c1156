// SPDX-License-Identifier: Apache-2.0

/// An enumeration whose cases have a word in text and JSON: their names in kebab case, such as
/// `low-power-mode`. Renaming a case changes what the command prints.
package protocol KebabCased {}

extension KebabCased {
    /// The word used in text and JSON.
    package var name: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension KebabCased where Self: CaseIterable {
    /// Reads the word used in text and JSON.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension EventType: KebabCased {}
