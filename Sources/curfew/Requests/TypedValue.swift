// SPDX-License-Identifier: Apache-2.0

/// A value that follows the name of its option.
enum TypedValue {
    /// - Parameter lead: `--after`, `advance=` or `submit:after=`.
    static func text(_ value: String, after lead: String) -> String {
        lead.hasSuffix("=") ? ShellWord.quoted(lead + value) : lead + " " + ShellWord.quoted(value)
    }
}
