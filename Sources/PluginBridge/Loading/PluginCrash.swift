// SPDX-License-Identifier: Apache-2.0

/// An end of a plugin's process for which nobody had asked.
package struct PluginCrash: Hashable, Sendable {
    /// How many the host remembers of each plugin.
    package static let limit = 20

    /// Nanoseconds since 1970 in UTC.
    package let at: Int64
    /// How it ended, as the rest of a sentence: `ended by SIGSEGV at 0x0`.
    package let text: String

    package init(at: Int64, text: String) { (self.at, self.text) = (at, text) }
}
