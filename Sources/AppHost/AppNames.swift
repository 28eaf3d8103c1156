// SPDX-License-Identifier: Apache-2.0

/// What an app's identifiers are called in its host. An identifier of one component, which Apple takes,
/// is that of the bundle with this at its end.
final class AppNames: Sendable {
    private let bundle: String
    /// Those that were lengthened.
    private let short = AppLocked<Set<String>>([])

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
