// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Checks which identifiers and events a handler may claim: permitted ones that are not taken.
final class HandlerClaims: Sendable {
    /// Nil permits all handlers.
    private let permitted: PermittedHandlers?
    private let handlers: HandlerTable
    private let events: EventDirectory
    private let plugins: PluginList

    init(
        _ configuration: HostConfiguration, _ handlers: HandlerTable, _ events: EventDirectory,
        _ plugins: PluginList
    ) throws(BridgeError) {
        permitted = try Self.readPermitted(configuration)
        self.handlers = handlers
        self.events = events
        self.plugins = plugins
    }

    private static func readPermitted(
        _ configuration: HostConfiguration
    ) throws(BridgeError) -> PermittedHandlers? {
        guard let file = configuration.permitted else { return nil }
        switch PermittedHandlers.read(file: file) {
        case .success(let list): return list
        case .failure(let faults): throw BridgeError(.invalid, faults.rendered)
        }
    }

    func checkPermitted(_ description: @autoclosure () -> HandlerDescription) throws(BridgeError) {
        guard let permitted else { return }
        let description = description()
        // An invalid identifier is reported later.
        guard description.fault == nil else { return }
        let refusal = permitted.refusal(
            identifier: description.identifier, kind: description.kind)
        if let refusal {
            throw BridgeError(
                .denied, "\(refusal.message): \(refusal.help)", rule: refusal.rule.rawValue)
        }
    }

    /// Checks whether all handlers of a manifest may be registered, before code of the plugin runs.
    /// The error names every conflict with its position in the manifest.
    func check(_ manifest: Manifest) throws(BridgeError) {
        var lines: [String] = []
        var notListed: PermittedRule?
        for handler in manifest.handlers {
            let refusal = permitted?.refusal(identifier: handler.identifier, kind: handler.kind)
            if let refusal {
                notListed = notListed ?? refusal.rule
                lines.append(
                    line(manifest, handler.identifierPosition, refusal.message, refusal.help))
            }
            if let other = handlers.find(handler.identifier) {
                lines.append(
                    line(
                        manifest, handler.identifierPosition,
                        taken(handler.identifier, by: other).message, nil))
                // The events conflict only because the identifier does.
                continue
            }
            let names =
                handler.reservedEvents.map { ($0, handler.eventPosition) }
                + zip(handler.events, handler.eventPositions)
            for (signature, position) in names {
                guard let conflict = events.conflict(with: signature) else { continue }
                lines.append(line(manifest, position, describe(conflict).message, nil))
            }
        }
        if lines.isEmpty { return }
        throw BridgeError(
            notListed == nil ? .exists : .denied, lines.joined(separator: "; "),
            rule: notListed?.rawValue ?? LoadRule.taken.rawValue)
    }

    private func line(
        _ manifest: Manifest, _ position: JSONPosition, _ message: String, _ help: String?
    ) -> String {
        "\(manifest.source.file):\(position.line):\(position.column): \(message)"
            + (help.map { ": \($0)" } ?? "")
    }

    func taken(_ identifier: String, by other: HandlerRecord) -> BridgeError {
        BridgeError(
            .exists,
            "the identifier \"\(identifier)\" is taken by \(owner(other.plugin)); the first one stays"
        )
    }

    func describe(_ conflict: DeclarationConflict) -> BridgeError {
        guard let number = conflict.owner else {
            return BridgeError(.exhausted, "no more events can be declared")
        }
        return BridgeError(
            .exists,
            "the event \"\(conflict.selector)\" is taken by \(owner(plugins.id(of: number) ?? "")), which keeps it; give the handler another \"event\""
        )
    }

    func owner(_ plugin: String) -> String {
        plugin.isEmpty ? "the embedder" : "plugin \"\(plugin)\""
    }
}
