// SPDX-License-Identifier: Apache-2.0

/// The limits of a store for accepting requests, and for keeping them.
public struct RequestLimits: Hashable, Sendable {
    /// Pending requests of a kind; those of Apple's system for app-refresh and processing.
    public var appRefresh = 1
    /// The limit of pending processing requests.
    public var processing = 10
    /// The limit of pending health-research requests.
    public var healthResearch = 10
    /// The limit of pending continued-processing requests.
    public var continuedProcessing = 10
    /// Bytes of a payload.
    public var payloadBytes = 1 << 20
    /// The number of crashes in a row after which a request is parked; in the last one its task ran
    /// alone.
    public var crashes: UInt32 = 3
    /// The age up to which history is kept, in nanoseconds…
    package var historyAge: UInt64 = 604_800_000_000_000
    /// …and the number of requests up to which it is kept.
    public var historyCount = 10_000
    /// Attempts of one request that are kept, however long it is repeated; at least 1.
    public var attemptCount: UInt64 = 200

    /// Makes one of what it is given.
    public init() {}

    /// Pending requests of a kind.
    package func pending(_ kind: TaskKind) -> Int {
        switch kind {
        case .appRefresh: appRefresh
        case .processing: processing
        case .healthResearch: healthResearch
        case .continuedProcessing: continuedProcessing
        }
    }
}
