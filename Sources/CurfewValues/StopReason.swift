// SPDX-License-Identifier: Apache-2.0

/// The reason for which a running task is stopped.
public enum StopReason: UInt8, Sendable, CaseIterable {
    /// Its budget is used up.
    case budget = 1
    /// A condition that it requires was lost: power, network, …
    case condition = 2
    /// The embedder stopped it; in a plugin, also a reason that this version does not know.
    case host = 3
    /// It was cancelled.
    case cancelled = 4
    /// The host is shutting down.
    case shutdown = 5
    /// Other hosts of the store take this one for dead, or will soon, and launch its request again.
    case lease = 6
}

extension StopReason: CustomStringConvertible {
    /// A clause that completes "the task stopped because …".
    public var description: String {
        switch self {
        case .budget: "its time was up"
        case .condition: "something it requires was lost"
        case .host: "the host asked for it"
        case .cancelled: "it was cancelled"
        case .shutdown: "the host is shutting down"
        case .lease: "another host takes over its request"
        }
    }
}
