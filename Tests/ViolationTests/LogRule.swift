// SPDX-License-Identifier: Apache-2.0

/// A line that the author of a plugin finds in the host's log.
enum LogRule: Sendable {
    /// `CF07nn rule: "handler" …`, of the level for misbehaviour, with these words in it. With the
    /// name of a status it is `CF00nn`, for information: an answer that came too late to be taken.
    case rule(String, _ words: String)
    /// `CF03nn rule: …` about the plugin, a warning or an error, with these words in it.
    case loading(String, _ words: String)
    /// A line about the end of the plugin's process, a warning or an error, with these words in it.
    case process(_ words: String)

    /// For the table.
    var text: String {
        switch self {
        case .rule(let rule, let words), .loading(let rule, let words):
            "`\(rule)`: … \(words) …"
        case .process(let words):
            words.isEmpty ? "how its process has ended" : "its process \(words) …"
        }
    }
}
