// SPDX-License-Identifier: Apache-2.0

/// Whom a setting is for.
public enum HandlerScope: Hashable, Sendable {
    /// All handlers.
    case all
    /// The handlers of a plugin, by its id.
    case plugin(String)
    /// One handler.
    case identifier(String)
}
