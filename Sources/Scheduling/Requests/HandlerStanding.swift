// SPDX-License-Identifier: Apache-2.0

/// The state of a handler, as the scheduler knows it.
public struct HandlerStanding: Hashable, Sendable {
    /// Why nothing of it is launched, or nil.
    public enum Closed: Hashable, Sendable {
        /// No plugin and no embedder has registered it.
        case missing
        /// The handler is paused.
        case paused
        /// Its worker was lost, with the reason.
        case quarantined(String)
    }

    /// The reason why it cannot be launched; nil if it can.
    public var closed: Closed?
    /// How many of its tasks may run at a time.
    public var places: Int
    /// The conditions from its manifest, which each of its requests has in addition to its own.
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

    /// The state of a handler that is not registered.
    public static let missing = HandlerStanding(closed: .missing)
}
