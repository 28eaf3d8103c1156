// SPDX-License-Identifier: Apache-2.0

/// The reason for stopping a task.
package enum StopReason: UInt8, Sendable, CaseIterable {
    /// Its time is up.
    case budget = 1
    /// Something it requires was lost.
    case condition = 2
    /// The embedder asked for it.
    case host = 3
    /// It was cancelled.
    case cancelled = 4
    /// The host is shutting down.
    case shutdown = 5

    /// The outcome of a task that was stopped for this reason, whatever it answers.
    package var outcome: Outcome {
        switch self {
        case .budget, .condition, .host: .expired
        case .cancelled: .cancelled
        case .shutdown: .interrupted
        }
    }

    /// The word used in text and JSON.
    package var name: String {
        switch self {
        case .budget: "budget"
        case .condition: "condition"
        case .host: "host"
        case .cancelled: "cancelled"
        case .shutdown: "shutdown"
        }
    }
}
