// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The word that the user probably meant.
enum Suggestion {
    static func nearest(to text: String, among words: [String]) -> String? {
        ManifestSpelling.nearest(to: text, among: words)
    }

    /// Returns the nearest identifier; a match of the last component is enough.
    static func identifier(near text: String, among identifiers: [String]) -> String? {
        if text.contains(".") { return nearest(to: text, among: identifiers) }
        let endings = identifiers.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        let meant = nearest(to: text, among: endings)
        return zip(identifiers, endings).first { $0.1 == meant }?.0
    }
}
