// SPDX-License-Identifier: Apache-2.0

/// A word, number, literal or sign of a header.
struct Token {
    /// Its text.
    let text: String
    /// Where it stands: `curfew/host.h:12`.
    let place: String
    /// Whether a comment that begins its line ends right before it or on the line above.
    let hasCommentBefore: Bool

    /// Whether it can be a name.
    var isName: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
}
