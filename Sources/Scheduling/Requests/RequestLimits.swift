// SPDX-License-Identifier: Apache-2.0

/// The limits of a store for accepting requests, and for keeping them.
package struct RequestLimits: Hashable, Sendable {
    /// The maximum number of pending requests of an identifier.
    package var pendingPerIdentifier = 10_000
    /// The maximum number of pending requests in all.
    package var pendingInAll = 1_000_000
    /// The maximum number of pending requests of each user besides the store's own.
    package var pendingPerOwner = 1_000
    /// The maximum number of pending requests of a kind, where it is limited. An app's host sets
    /// Apple's limits.
    package var pending: [TaskKind: Int] = [:]
    /// The maximum number of bytes of a payload.
    package var payloadBytes = 1 << 20
    /// The number of crashes in a row after which a request is parked; in the last one its task ran
    /// alone.
    package var crashes: UInt32 = 3
    /// The maximum age of history, in nanoseconds.
    package var historyAge: UInt64 = 604_800_000_000_000
    /// The maximum number of requests in the history.
    package var historyCount = 10_000
    /// The maximum number of stored attempts of one request, however long it repeats; at least 1.
    package var attemptCount: UInt64 = 200

    /// Creates the default limits.
    package init() {}
}
