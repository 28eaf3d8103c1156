// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The id of a plugin on the command line.
enum PluginName {
    /// Throws for a text that is no id: it would be a path.
    static func checked(_ text: String) throws(CommandError) -> String {
        guard text != "*", IdentifierPrefix(text) != nil else {
            throw CommandError(
                .usage, "`\(Shown.line(text))` is not the id of a plugin",
                help: ["write it as in its manifest: org.example.tidy", "curfew plugins"])
        }
        return text
    }
}
