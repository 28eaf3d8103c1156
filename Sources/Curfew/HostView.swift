// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A host of a store, as far as others know it.
package struct HostView: Sendable {
    /// What the store says of it; nil if only a lock says that it is there.
    package let record: HostRecord?
    /// What it last wrote of itself; nil if it wrote nothing.
    package let report: HostReport?
    package let presence: HostPresence
    /// The requests that run in it, ordered by id.
    package let running: [RequestID]

    /// Whether others may take it for dead.
    package var isSilent: Bool { record?.isSilent ?? false }

    package var phase: StoreHostPhase { StoreHostPhase(record, report) }

    /// Since when it launches nothing because a person wanted so, in nanoseconds since 1970 in UTC; nil if it launches.
    package var drainedSince: Int64? { report?.drainedSince }
}
