// SPDX-License-Identifier: Apache-2.0

/// A place in a text, as an editor counts: lines and columns start at 1.
package struct JSONPosition: Hashable, Comparable, Sendable {
    /// Lines end with a line feed.
    package let line: Int
    /// Counted in characters (Unicode scalars), not in bytes.
    package let column: Int
    /// Counted in bytes from 0.
    package let offset: Int

    package init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    package static var start: JSONPosition { JSONPosition(line: 1, column: 1, offset: 0) }

    package static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.offset < right.offset
    }
}
