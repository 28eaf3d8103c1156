// SPDX-License-Identifier: Apache-2.0

/// A line that the author of a plugin finds in the host's log.
enum LogRule: Sendable {
    /// `CF07nn rule: "handler" …`, of the level for misbehaviour, with these words in it.
    case rule(String, _ words: String)
    /// A warning about the plugin, with these words in it.
    case warning(_ words: String)
    /// The refusal of a plugin, with these words in it.
    case refusal(_ words: String)

    /// For the table.
    var text: String {
        switch self {
        case .rule(let rule, let words): "`\(rule)`: … \(words) …"
        case .warning(let words): "a warning: … \(words) …"
        case .refusal(let words): "`CF03nn`: … \(words) …"
        }
    }
}
