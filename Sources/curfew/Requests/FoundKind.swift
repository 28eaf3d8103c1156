// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// What the plugins that are found say of an identifier; nothing is loaded.
struct FoundKind {
    /// Nil: none declares it.
    let kind: TaskKind?
    let handler: HandlerStanding?
    private let nearest: String?
    private let options: String

    init(_ identifier: String, _ arguments: Arguments) throws(CommandError) {
        let search = try PluginSearch(arguments, failingWith: .usage)
        options = search.options
        let found = search.plugin(declaring: identifier)
        kind = found?.handler.kind
        handler = found.map { plugin, handler in
            HandlerStanding(
                places: handler.maxConcurrency, needs: handler.needs,
                plugin: plugin.sound?.id ?? "")
        }
        nearest =
            found == nil ? Suggestion.identifier(near: identifier, among: search.identifiers) : nil
    }

    /// Says what was made of an identifier that nobody declares: it may well be the host's own.
    func note(_ identifier: String, _ errors: Output) {
        guard kind == nil else { return }
        var text =
            "no plugin that is found has a handler for \(identifier), so its kind is taken to be app-refresh; --kind says otherwise"
        if let nearest { text += "; or is it \(nearest)?" }
        errors.note(text)
    }
}
