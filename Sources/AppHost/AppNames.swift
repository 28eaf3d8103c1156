// SPDX-License-Identifier: Apache-2.0
import CurfewValues

/// The names of an app's identifiers in its host. Apple accepts identifiers of one component; for
/// the host they are appended to the bundle identifier.
final class AppNames: Sendable {
    private let bundle: String
    /// The identifiers that `inHost` has prefixed.
    private let short = Locked<Set<String>>([])

    init(bundle: String) { self.bundle = bundle }

    func inHost(_ identifier: String) -> String {
        guard !identifier.isEmpty, !identifier.contains(".") else { return identifier }
        short.withLock { _ = $0.insert(identifier) }
        return bundle + "." + identifier
    }

    func inApp(_ identifier: String) -> String {
        guard identifier.hasPrefix(bundle + ".") else { return identifier }
        let rest = String(identifier.dropFirst(bundle.utf8.count + 1))
        return short.withLock { $0.contains(rest) } ? rest : identifier
    }
}
