// SPDX-License-Identifier: Apache-2.0

/// The host that uses a store now, by its own report, for people.
package struct HostPresence: Hashable, Sendable {
    /// Its process id; nil if unknown.
    package var process: Int32?
    /// The date since which it uses the store, in nanoseconds since 1970 in UTC; nil if unknown.
    package var since: Int64?

    package init(process: Int32? = nil, since: Int64? = nil) {
        self.process = process
        self.since = since
    }
}
