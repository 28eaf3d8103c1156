// SPDX-License-Identifier: Apache-2.0

/// The launch handlers of an app, by identifier and by wildcard.
struct LaunchHandlers {
    private var byIdentifier: [String: LaunchHandler] = [:]
    private var byPrefix: [String: LaunchHandler] = [:]

    /// False: it is registered already.
    mutating func add(_ handler: LaunchHandler) -> Bool {
        let identifier = handler.identifier
        if identifier.hasSuffix(".*") {
            return byPrefix.updateValue(handler, forKey: String(identifier.dropLast())) == nil
        }
        return byIdentifier.updateValue(handler, forKey: identifier) == nil
    }

    mutating func remove(_ identifier: String) {
        byIdentifier[identifier] = nil
        if identifier.hasSuffix(".*") { byPrefix[String(identifier.dropLast())] = nil }
    }

    /// The handler of an identifier, without wildcards.
    subscript(identifier: String) -> LaunchHandler? { byIdentifier[identifier] }

    func isRegistered(_ identifier: String) -> Bool {
        identifier.hasSuffix(".*")
            ? byPrefix[String(identifier.dropLast())] != nil : byIdentifier[identifier] != nil
    }

    /// Returns the longest wildcard that matches an identifier.
    func wildcard(for identifier: String) -> LaunchHandler? {
        byPrefix.filter {
            identifier.hasPrefix($0.key) && identifier.utf8.count > $0.key.utf8.count
        }
        .max { $0.key.utf8.count < $1.key.utf8.count }?.value
    }
}
