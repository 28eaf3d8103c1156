// SPDX-License-Identifier: Apache-2.0

/// What the scheduler is told of a handler.
public struct HandlerStanding: Hashable, Sendable {
    /// Why nothing of it is launched, or nil.
    public enum Closed: Hashable, Sendable {
        /// No plugin and no embedder has registered it.
        case missing
        /// Somebody has paused it.
        case paused
        /// Its worker was lost, with the reason.
        case quarantined(String)
    }

    /// Nil: it can be launched.
    public var closed: Closed?
    /// How many of its tasks may run at a time.
    public var places: Int
    /// What each of its requests needs, besides what it says itself: as its manifest has it.
    public var needs: RequestNeeds
    /// Its plugin's id; "" for the embedder's own.
    public var plugin: String

    /// One task at a time, unless it is said.
    public init(
        closed: Closed? = nil, places: Int = 1, needs: RequestNeeds = [], plugin: String = ""
    ) {
        self.closed = closed
        self.places = places
        self.needs = needs
        self.plugin = plugin
    }

    /// A handler that nobody has registered.
    public static let missing = HandlerStanding(closed: .missing)
}
