// SPDX-License-Identifier: Apache-2.0

/// The width of a value in a line.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// No padding.
    public static var none: OSLogStringAlignment {
        OSLogStringAlignment(columns: 0, isRight: false)
    }
    /// No padding.
    public static var left: OSLogStringAlignment { none }
    /// No padding.
    public static var right: OSLogStringAlignment { none }
    /// Blanks follow it.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }
    /// Blanks stand before it.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    func aligned(_ text: String) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - text.count))
        return isRight ? blanks + text : text + blanks
    }
}
