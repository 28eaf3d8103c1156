// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

extension HostRuntime {
    // MARK: What is permitted

    static func readPermitted(
        _ configuration: HostConfiguration
    ) throws(BridgeError) -> PermittedHandlers? {
        guard let file = configuration.permitted else { return nil }
        switch PermittedHandlers.read(file: file) {
        case .success(let list): return list
        case .failure(let faults): throw BridgeError(.invalid, faults.rendered)
        }
    }

    /// Refuses a handler of the embedder's own that is not on the list.
    func checkPermitted(
        _ description: @autoclosure () -> HandlerDescription
    ) throws(BridgeError) {
        guard let permitted else { return }
        let description = description()
        // What is no identifier is told to be none.
        guard description.fault == nil else { return }
        let refusal = permitted.refusal(
            identifier: description.identifier, kind: description.kind)
        if let refusal {
            throw BridgeError(
                .denied, "\(refusal.message): \(refusal.help)", rule: refusal.rule.rawValue)
        }
    }

    // MARK: What is taken

    /// Looks whether all handlers of a manifest may be registered, before any code of the plugin
    /// runs, and names all that may not, each with its place in the manifest.
    func checkClaims(of manifest: Manifest) throws(BridgeError) {
        var lines: [String] = []
        var notListed: PermittedRule?
        for handler in manifest.handlers {
            let refusal = permitted?.refusal(identifier: handler.identifier, kind: handler.kind)
            if let refusal {
                notListed = notListed ?? refusal.rule
                lines.append(
                    line(manifest, handler.identifierPosition, refusal.message, refusal.help))
            }
            if let other = self.handler(handler.identifier) {
                lines.append(
                    line(
                        manifest, handler.identifierPosition,
                        taken(handler.identifier, by: other).message, nil))
                // Its events are those of the one that has it.
                continue
            }
            let names =
                handler.reservedEvents.map { ($0, handler.eventPosition) }
                + zip(handler.events, handler.eventPositions)
            for (signature, position) in names {
                guard let conflict = events.directory.conflict(with: signature) else { continue }
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
}
