// SPDX-License-Identifier: Apache-2.0

/// A part of a command's help that lists terms: the events of a log, the fields of a document.
struct HelpSection: Sendable {
    /// Lower case.
    let title: String
    /// One paragraph, or nothing.
    var text = ""
    let rows: [(term: String, text: String)]
}
