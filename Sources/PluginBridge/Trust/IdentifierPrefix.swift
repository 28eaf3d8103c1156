// SPDX-License-Identifier: Apache-2.0

/// The beginning of the ids of the plugins that a key may sign.
///
/// `org.example` stands for the id `org.example` and for all that begin with `org.example.`, and
/// not for `org.examples`. `*` stands for every id.
package struct IdentifierPrefix: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Nil for a text that no id begins with.
    package init?(_ text: String) {
        let parts = PathText.split(text, at: ".", keepingEmpty: true)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
        guard text == "*" || isName && text.utf8.count <= Manifest.identifierLimit else {
            return nil
        }
        description = text
    }

    /// Returns whether a key with this prefix may sign a plugin with this id.
    package func covers(_ id: String) -> Bool {
        description == "*" || description.utf8.elementsEqual(id.utf8)
            || PathText.hasPrefix(id, description + ".")
    }
}
