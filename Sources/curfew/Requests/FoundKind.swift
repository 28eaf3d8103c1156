// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// The declarations of an identifier by the plugins that are found; loads none of them.
struct FoundKind {
    /// The kind; nil if no plugin declares the identifier.
    let kind: TaskKind?
    let handler: HandlerState?
    /// That of its plugin.
    private let directory: String?
    private let identifier: String
    private let nearest: String?
    private let options: String

    init(_ identifier: String, _ arguments: Arguments) throws(CommandError) {
        self.identifier = identifier
        let search = try PluginSearch(arguments, failingWith: .usage)
        guard identifier != CommandPayload.identifier else {
            (kind, directory, nearest, options) = (.processing, nil, nil, search.options)
            handler = HandlerState(places: Int(CommandPayload.limit))
            return
        }
        options = search.options
        let found = search.plugin(declaring: identifier)
        kind = found?.handler.kind
        directory = found?.plugin.directory
        handler = found.map { plugin, handler in
            HandlerState(
                places: handler.maxConcurrency, inStore: handler.maxInStore, needs: handler.needs,
                plugin: plugin.sound?.id ?? "")
        }
        nearest =
            found == nil ? Suggestion.identifier(near: identifier, among: search.identifiers) : nil
    }

    /// Returns the state that it has in a host which begins now: a host does not run a build of its plugin
    /// that is quarantined in the store. Where no plugin is found, the host of the store may know one.
    func handler(_ store: StoreClient) throws(StoreFault) -> HandlerState? {
        guard var state = handler, let directory else {
            guard handler == nil,
                let told = try store.hosts().lazy.compactMap({ $0.report?.handlers[identifier] })
                    .first
            else { return handler }
            switch told.closed {
            case .quarantinedPlugin, .refused: return told
            default: return nil
            }
        }
        let list = try store.quarantine()
        // Its files are read only if there is a reason to.
        guard !list.plugins.isEmpty, let build = try? PluginContent.read(directory: directory),
            let entry = list[build.digest]
        else { return state }
        state.closed = .quarantinedPlugin(entry.reason)
        return state
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

extension HandlerState {
    /// Prints a note if its requests wait because its plugin is not run.
    func noteClosed(_ place: StorePlace, _ errors: Output) {
        switch closed {
        case .quarantinedPlugin(let reason):
            errors.note(
                "no host runs it: \(plugin) is quarantined, because \(Shown.line(reason)); `curfew release \(plugin)\(place.option)`, or another build of it, ends that"
            )
        case .refused(let reason):
            errors.note("the host has not loaded \(plugin): \(Shown.line(reason))")
        default: break
        }
    }
}
