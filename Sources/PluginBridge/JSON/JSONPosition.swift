// SPDX-License-Identifier: Apache-2.0

/// A place in a text, as an editor counts: lines and columns start at 1.
public struct JSONPosition: Hashable, Comparable, Sendable {
    /// Lines end with a line feed.
    public let line: Int
    /// Counted in characters (Unicode scalars), not in bytes.
    public let column: Int
    /// Counted in bytes from 0.
    public let offset: Int

    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    public static var start: JSONPosition { JSONPosition(line: 1, column: 1, offset: 0) }

    public static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.offset < right.offset
    }
}
