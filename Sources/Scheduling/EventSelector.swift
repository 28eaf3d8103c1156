// SPDX-License-Identifier: Apache-2.0

/// An event's name and arity, written as a selector: one colon per parameter, `tidy_done::`.
///
/// Events are keyed by both, so `x_done` and `x_done::` are two events.
public struct EventSelector: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case letters, digits and underscores, starting with a letter; at most 128 bytes.
    public let name: String
    /// 0…16.
    package let arity: Int

    /// Bytes of the longest name.
    package static var nameLimit: Int { 128 }
    /// Parameters an event may have.
    package static var arityLimit: Int { 16 }
    /// Bytes of the longest selector.
    package static var textLimit: Int { nameLimit + arityLimit }

    /// Fails for a name that no event can have.
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

    public var description: String { name + String(repeating: ":", count: arity) }

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
