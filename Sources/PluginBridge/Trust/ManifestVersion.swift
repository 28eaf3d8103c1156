// SPDX-License-Identifier: Apache-2.0

/// A version of a manifest, in the order of Semantic Versioning 2.0.0, section 11.
package struct ManifestVersion: Comparable, Sendable {
    private let numbers: [[UInt8]]
    /// The parts of the suffix; a version without one comes after all that have one.
    private let suffix: [[UInt8]]

    /// Takes the text of a checked manifest: three numbers, and a suffix behind a hyphen.
    package init(_ text: String) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "-")) ?? bytes.endIndex
        numbers = Self.parts(bytes[..<end])
        suffix = end == bytes.endIndex ? [] : Self.parts(bytes[(end + 1)...])
    }

    private static func parts(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    }

    package static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    package static func < (left: Self, right: Self) -> Bool {
        for (a, b) in zip(left.numbers, right.numbers) {
            if isLess(a, b) { return true }
            if isLess(b, a) { return false }
        }
        guard !left.suffix.isEmpty, !right.suffix.isEmpty else {
            return !left.suffix.isEmpty && right.suffix.isEmpty
        }
        for (a, b) in zip(left.suffix, right.suffix) {
            if isLess(a, b) { return true }
            if isLess(b, a) { return false }
        }
        return left.suffix.count < right.suffix.count
    }

    /// Numbers, of any length, come before words.
    private static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        switch (number(a), number(b)) {
        case (let a?, let b?):
            a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): a.lexicographicallyPrecedes(b)
        }
    }

    /// The digits of a number without zeros before them; nil for a word.
    private static func number(_ part: [UInt8]) -> ArraySlice<UInt8>? {
        guard !part.isEmpty,
            part.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return part.drop { $0 == UInt8(ascii: "0") }
    }
}
