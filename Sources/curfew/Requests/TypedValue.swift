// SPDX-License-Identifier: Apache-2.0

/// A value behind what it is given for, as it is typed.
enum TypedValue {
    /// - Parameter lead: `--after`, `advance=` or `submit:after=`.
    static func text(_ value: String, after lead: String) -> String {
        lead.hasSuffix("=") ? ShellWord.quoted(lead + value) : lead + " " + ShellWord.quoted(value)
    }
}
