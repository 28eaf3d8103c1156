// SPDX-License-Identifier: Apache-2.0

/// What the scheduler is told of a handler.
public struct HandlerStanding: Hashable, Sendable {
    /// Why nothing of it is launched, or nil.
    public enum Closed: Hashable, Sendable {
        /// No plugin and no embedder has registered it.
        case missing
        case paused
        case quarantined(String)
    }

    public var closed: Closed?
    /// How many of its tasks may run at a time.
    public var places: Int
    /// Its plugin's id; "" for the embedder's own.
    public var plugin: String

    public init(closed: Closed? = nil, places: Int = 1, plugin: String = "") {
        self.closed = closed
        self.places = places
        self.plugin = plugin
    }

    public static let missing = HandlerStanding(closed: .missing)
}
