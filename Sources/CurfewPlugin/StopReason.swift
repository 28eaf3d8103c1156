// SPDX-License-Identifier: Apache-2.0

/// Why a running task was told to stop.
public enum StopReason: Int32, Sendable, CaseIterable {
    /// Its time is up.
    case budget = 1
    /// Something it requires was lost: power, network, …
    case condition = 2
    /// The embedder asked for it, or a newer host has a reason that this version does not know.
    case host = 3
    /// It was cancelled.
    case cancelled = 4
    /// The host is shutting down.
    case shutdown = 5

    /// Nil for "was not told to stop".
    init?(reported: Int32) {
        guard reported != 0 else { return nil }
        self = StopReason(rawValue: reported) ?? .host
    }
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
        }
    }
}
