// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge

/// An operand that names a plugin.
enum PluginOperand {
    /// Returns the directory of the plugin, which is named, or found by its id or one of its
    /// handlers.
    static func directory(
        _ name: String, _ arguments: Arguments
    ) throws(CommandError) -> String {
        if name.utf8.contains(UInt8(ascii: "/"))
            || access(name + "/" + Manifest.fileName, F_OK) == 0
        {
            return name
        }
        let search = try PluginSearch(arguments, failingWith: .host)
        let found =
            search.plugins.first { $0.sound?.id == name }
            ?? search.plugin(declaring: name)?.plugin
            ?? search.plugins.first { $0.directory.parts(at: "/").last ?? "" == name }
        if let found { return found.directory }
        // The message for an empty directory says what is missing.
        var status = stat()
        if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return name }
        var help = ["curfew plugins" + search.options]
        let known = search.plugins.compactMap { $0.sound?.id } + search.identifiers
        if let near = Suggestion.identifier(near: name, among: known) {
            help.insert("did you mean `\(near)`?", at: 0)
        }
        throw CommandError(
            .notFound, "there is no plugin `\(name)`",
            notes: ["searched \(search.directories.joined(separator: ", "))"], help: help)
    }
}
