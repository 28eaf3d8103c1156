// SPDX-License-Identifier: Apache-2.0

/// An event's name and arity, written as a selector: one colon per parameter, `tidy_done::`.
///
/// Events are keyed by both, so `x_done` and `x_done::` are two events.
package struct EventSelector: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case letters, digits and underscores, starting with a letter; at most 128 bytes.
    package let name: String
    /// The number of parameters, 0…16.
    package let arity: Int

    /// The maximum number of bytes of a name.
    package static var nameLimit: Int { 128 }
    /// The maximum number of parameters of an event.
    package static var arityLimit: Int { 16 }
    /// The maximum number of bytes of a selector.
    package static var textLimit: Int { nameLimit + arityLimit }

    /// Returns nil if the name is not valid for an event, or the arity is out of range.
    package init?(name: String, arity: Int) {
        guard EventSelector.isName(name), (0...EventSelector.arityLimit).contains(arity) else {
            return nil
        }
        self.name = name
        self.arity = arity
    }

    /// Reads `name`, `name:`, `name::`, …
    package init?(_ text: String) {
        let colons = text.utf8.reversed().prefix { $0 == UInt8(ascii: ":") }.count
        // Compare bytes: a colon may form one character with the one before it.
        self.init(
            name: String(decoding: text.utf8.dropLast(colons), as: UTF8.self), arity: colons)
    }

    package var description: String { name + String(repeating: ":", count: arity) }

    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= nameLimit else { return false }
        guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "_")
        }
    }
}
