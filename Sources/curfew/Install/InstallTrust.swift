// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// The policy of a command that installs, and what it says of unsigned plugins.
struct InstallTrust {
    let policy: TrustPolicy
    private let keys: TrustedKeys
    private let console: Console

    /// Without a word of the user, what is not signed is told: that is one line, once.
    init(_ arguments: Arguments, _ place: InstallPlace, _ console: Console) throws(CommandError) {
        policy = try arguments.trust(usual: .warn)
        keys = place.keys
        self.console = console
    }

    /// Returns who signed the plugin in a directory, and warns or throws where no trusted key has.
    ///
    /// - Parameter shown: the name of the directory in messages.
    func signer(
        of directory: String, shown: String
    ) throws(CommandError) -> PluginSigner? {
        do throws(BridgeError) {
            return try PluginSigner(in: directory, keys: keys)
        } catch {
            try report(error, directory, shown)
            return nil
        }
    }

    /// Warns of something, or throws it, by the policy.
    func report(
        _ error: BridgeError, _ directory: String = "", _ shown: String = ""
    ) throws(CommandError) {
        let message =
            directory.isEmpty ? error.message : error.message.replacing(directory, with: shown)
        let fault = error.rule.flatMap(Fault.named)
        switch policy {
        case .off: break
        case .warn:
            let code = fault.map { "[\($0.code)]" } ?? ""
            let errors = console.errors
            errors.line(
                errors.paint("warning" + code, .warning) + ": "
                    + errors.wrapped(Shown.line(message), after: 9 + code.count, indent: 9))
        case .require:
            throw CommandError(
                .refused, message, fault: fault, notes: ["nothing was changed"])
        }
    }
}

extension PluginSigner {
    /// Finds out who signed the plugin in a directory that no other user could change.
    init(in directory: String, keys: TrustedKeys) throws(BridgeError) {
        let folder = try PluginDirectory(directory)
        switch try folder.manifest() {
        case .success(let manifest):
            self = try PluginSigner(of: manifest, in: folder, keys: keys)
        case .failure(let faults):
            throw BridgeError(.refused, faults.line, rule: faults.diagnostics.first?.rule)
        }
    }
}
