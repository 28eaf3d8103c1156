// SPDX-License-Identifier: Apache-2.0

/// The handlers that a setting is for.
public enum HandlerScope: Hashable, Sendable {
    /// All handlers.
    case all
    /// The handlers of a plugin, by its id.
    case plugin(String)
    /// A single handler.
    case identifier(String)

    /// Why nothing can be set for a scope.
    package struct Fault: Error, Hashable, Sendable {
        /// Lower case, no full stop.
        package let message: String
    }

    /// Why nothing can be set for this one; nil: something can.
    package var fault: Fault? {
        switch self {
        case .plugin(let id) where !HandlerDescription.isIdentifier(id):
            Fault(
                message:
                    "\"\(id)\" is not the id of a plugin: write a reverse-DNS name such as org.example.tidy"
            )
        case .identifier(let id) where !HandlerDescription.isIdentifier(id):
            Fault(
                message:
                    "\"\(id)\" is not an identifier: write a reverse-DNS name such as org.example.tidy"
            )
        case .all, .plugin, .identifier: nil
        }
    }
}
