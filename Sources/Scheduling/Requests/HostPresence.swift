// SPDX-License-Identifier: Apache-2.0

/// The host that uses a store now, as it says itself: for people.
public struct HostPresence: Hashable, Sendable {
    /// The number of its process; nil: it does not say.
    public var process: Int32?
    /// Since when, in nanoseconds since 1970 in UTC; nil: it does not say.
    public var since: Int64?

    /// A host that has the store.
    public init(process: Int32? = nil, since: Int64? = nil) {
        self.process = process
        self.since = since
    }
}
