// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// The declarations of an identifier by the plugins that are found; loads none of them.
struct FoundKind {
    /// The kind; nil if no plugin declares the identifier.
    let kind: TaskKind?
    let handler: HandlerState?
    private let nearest: String?
    private let options: String

    init(_ identifier: String, _ arguments: Arguments) throws(CommandError) {
        let search = try PluginSearch(arguments, failingWith: .usage)
        guard identifier != CommandPayload.identifier else {
            (kind, nearest, options) = (.processing, nil, search.options)
            handler = HandlerState(places: Int(CommandPayload.limit))
            return
        }
        options = search.options
        let found = search.plugin(declaring: identifier)
        kind = found?.handler.kind
        handler = found.map { plugin, handler in
            HandlerState(
                places: handler.maxConcurrency, needs: handler.needs,
                plugin: plugin.sound?.id ?? "")
        }
        nearest =
            found == nil ? Suggestion.identifier(near: identifier, among: search.identifiers) : nil
    }

    /// Prints a note for an identifier that no plugin declares: the host itself may register it.
    func note(_ identifier: String, isKindNamed: Bool, _ errors: Output) {
        guard kind == nil, nearest != nil || !isKindNamed else { return }
        var text = "no known plugin has a handler for \(identifier)"
        if !isKindNamed { text += ", so its kind is app-refresh; use --kind for another" }
        if let nearest { text += "; did you mean `\(nearest)`?" }
        errors.note(text)
    }
}
