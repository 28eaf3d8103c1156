// SPDX-License-Identifier: Apache-2.0

/// What a store takes in, and how long it keeps it.
public struct RequestLimits: Hashable, Sendable {
    /// Pending requests of a kind; those of Apple's system for app-refresh and processing.
    public var appRefresh = 1
    /// The same for processing.
    public var processing = 10
    /// The same for health-research.
    public var healthResearch = 10
    /// The same for continued-processing.
    public var continuedProcessing = 10
    /// Bytes of a payload.
    public var payloadBytes = 1 << 20
    /// A request is parked after so many launches in a row that ended with the process, in the last of
    /// which its task ran alone.
    public var crashes: UInt32 = 3
    /// History is kept for so many nanoseconds…
    public var historyAge: UInt64 = 604_800_000_000_000
    /// …and so many requests.
    public var historyCount = 10_000
    /// Attempts of one request that are kept, however long it is repeated; at least 1.
    public var attemptCount: UInt64 = 200

    /// Makes one of what it is given.
    public init() {}

    /// Pending requests of a kind.
    public func pending(_ kind: TaskKind) -> Int {
        switch kind {
        case .appRefresh: appRefresh
        case .processing: processing
        case .healthResearch: healthResearch
        case .continuedProcessing: continuedProcessing
        }
    }
}
