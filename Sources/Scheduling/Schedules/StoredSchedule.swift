// SPDX-License-Identifier: Apache-2.0

/// A schedule as the store has it since a host has last read its configuration.
package struct StoredSchedule: Hashable, Sendable {
    package var name: String
    /// The digest of what the configuration said of it; "" if its request is to be made anew.
    package var digest: String
    /// Its request; nil if it is disabled. The request may be over, or removed from the history.
    package var request: RequestID?
    /// The place in the configuration, for people.
    package var source: String
    /// When it came or was changed, in nanoseconds since 1970 in UTC.
    package var changedAt: Int64

    package init(
        name: String, digest: String, request: RequestID?, source: String, changedAt: Int64
    ) {
        self.name = name
        self.digest = digest
        self.request = request
        self.source = source
        self.changedAt = changedAt
    }
}
