// SPDX-License-Identifier: Apache-2.0

/// The state of a handler, as the scheduler knows it.
package struct HandlerState: Hashable, Sendable {
    /// The reason why none of its requests is launched.
    package enum Closed: Hashable, Sendable {
        /// No plugin and no embedder has registered it.
        case missing
        /// The handler is paused.
        case paused
        /// Its worker was lost, with the reason.
        case quarantined(String)
        /// Its plugin is not run any more, with the reason.
        case quarantinedPlugin(String)
        /// The process of its plugin has ended, how is the text, and the next one starts at a date in
        /// nanoseconds since 1970 in UTC.
        case resting(String, until: Int64)
        /// Its plugin was not loaded, with the reason.
        case refused(String)
    }

    /// The reason why it cannot be launched; nil if it can.
    package var closed: Closed?
    /// The maximum number of its tasks that run at the same time in a host.
    package var places: Int
    /// The most of its tasks that run at a time in all hosts of a store; nil without a limit.
    package var mostInStore: Int?
    /// The conditions from its manifest, which each of its requests has in addition to its own.
    package var needs: RequestNeeds
    /// The id of its plugin; "" for a handler of the embedder.
    package var plugin: String
    /// The digest of the plugin's manifest and library; "" if it is unknown, or for the embedder's.
    package var build: String

    /// Creates a state, by default with one task at a time.
    ///
    /// - Parameter inStore: the most in all hosts; nil: what runs one at a time in a host does so everywhere, and
    ///   else there is no limit.
    package init(
        closed: Closed? = nil, places: Int = 1, inStore: Int? = nil, needs: RequestNeeds = [],
        plugin: String = "",
        build: String = ""
    ) {
        self.closed = closed
        self.places = inStore.map { min($0, places) } ?? places
        mostInStore = inStore ?? (places == 1 ? 1 : nil)
        self.needs = needs
        self.plugin = plugin
        self.build = build
    }

    /// The state of a handler that is not registered.
    package static let missing = HandlerState(closed: .missing)
}
