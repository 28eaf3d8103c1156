// SPDX-License-Identifier: Apache-2.0

/// The handlers that a setting is for.
public enum HandlerScope: Hashable, Sendable {
    /// All handlers.
    case all
    /// The handlers of a plugin, by its id.
    case plugin(String)
    /// A single handler.
    case identifier(String)

    /// The reason why a scope cannot have a setting.
    package struct Fault: Error, Hashable, Sendable {
        /// The reason, in lower case, without full stop.
        package let message: String
    }

    /// The reason why this scope cannot have a setting; nil if it can.
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
