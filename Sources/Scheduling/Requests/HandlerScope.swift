// SPDX-License-Identifier: Apache-2.0

/// Whom a setting is for.
public enum HandlerScope: Hashable, Sendable {
    case all
    /// The handlers of a plugin, by its id.
    case plugin(String)
    case identifier(String)
}
