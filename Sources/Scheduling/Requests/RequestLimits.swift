// SPDX-License-Identifier: Apache-2.0

/// The limits of a store for accepting requests, and for keeping them.
package struct RequestLimits: Hashable, Sendable {
    /// The limit of pending app-refresh requests; as for processing, the default is Apple's.
    package var appRefresh = 1
    /// The limit of pending processing requests.
    package var processing = 10
    /// The limit of pending health-research requests.
    package var healthResearch = 10
    /// The limit of pending continued-processing requests.
    package var continuedProcessing = 10
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

    /// The limit of pending requests of a kind.
    package subscript(kind: TaskKind) -> Int {
        get { self[keyPath: Self.pending(kind)] }
        set { self[keyPath: Self.pending(kind)] = newValue }
    }

    private static func pending(_ kind: TaskKind) -> WritableKeyPath<RequestLimits, Int> {
        switch kind {
        case .appRefresh: \.appRefresh
        case .processing: \.processing
        case .healthResearch: \.healthResearch
        case .continuedProcessing: \.continuedProcessing
        }
    }
}
