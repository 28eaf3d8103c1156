// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// A plugin that is being loaded.
struct PluginLoad {
    let plugin: Int32
    let manifest: Manifest
    var registered: [String: HandlerCode] = [:]
    /// Identifiers that it tried to register without declaring them, in order.
    private(set) var undeclared: [String] = []

    private static let undeclaredLimit = 8

    mutating func addUndeclared(_ identifier: String) {
        guard undeclared.count < Self.undeclaredLimit, !undeclared.contains(identifier) else {
            return
        }
        undeclared.append(identifier)
    }

    /// Throws if the library registered handlers that the manifest does not declare.
    func checkUndeclared(_ library: String) throws(BridgeError) {
        if undeclared.isEmpty { return }
        let missing = self.missing
        throw BridgeError(
            .undeclared,
            "\(library) registered \(Self.list(undeclared)), which its manifest does not declare"
                + (missing.isEmpty
                    ? "" : ", and did not register \(Self.list(missing)), which it does")
                + "; nothing of the plugin is registered")
    }

    /// Throws if the manifest declares handlers that the library did not register.
    func checkMissing(_ library: String) throws(BridgeError) {
        let missing = self.missing
        if missing.isEmpty { return }
        throw BridgeError(
            .unregistered,
            "the manifest declares \(Self.list(missing)), but \(library) did not register \(missing.count == 1 ? "it" : "them"); nothing of the plugin is registered"
        )
    }

    private var missing: [String] {
        manifest.handlers.filter { $0.form == .entry }.map(\.identifier)
            .filter { registered[$0] == nil }
    }

    private static func list(_ identifiers: [String]) -> String {
        identifiers.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
