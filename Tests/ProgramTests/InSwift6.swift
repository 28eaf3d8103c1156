// SPDX-License-Identifier: Apache-2.0

/// What becomes of a program in the mode of Swift 6.
enum InSwift6: Equatable {
    /// It compiles, and runs as it should.
    case runs
    /// It compiles, but does not run as in Swift 5: the reason.
    case compiles(String)
    /// The compiler refuses it: the reason.
    case isRefused(String)

    /// Reads `yes`, `compiles, reason` or `no, reason`. Nil: none of them, or no reason.
    init?(_ text: String) {
        if text == "yes" {
            self = .runs
        } else if let reason = Self.reason(text, after: "compiles, ") {
            self = .compiles(reason)
        } else if let reason = Self.reason(text, after: "no, ") {
            self = .isRefused(reason)
        } else {
            return nil
        }
    }

    private static func reason(_ text: String, after start: String) -> String? {
        text.hasPrefix(start) && text.count > start.count
            ? String(text.dropFirst(start.count)) : nil
    }

    /// The strictest mode in which the program does what it should.
    var mode: SwiftMode { self == .runs ? .six : .five }
}
