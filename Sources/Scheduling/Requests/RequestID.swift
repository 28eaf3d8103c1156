// SPDX-License-Identifier: Apache-2.0

/// A request's number in its store: 1, 2, 3, … in the order of submission, never used again.
public struct RequestID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
