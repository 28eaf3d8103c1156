// SPDX-License-Identifier: Apache-2.0

/// The host that uses a store now, as it says itself: for people.
package struct HostPresence: Hashable, Sendable {
    /// The number of its process; nil: it does not say.
    package var process: Int32?
    /// Since when, in nanoseconds since 1970 in UTC; nil: it does not say.
    package var since: Int64?

    /// A host that has the store.
    package init(process: Int32? = nil, since: Int64? = nil) {
        self.process = process
        self.since = since
    }
}
