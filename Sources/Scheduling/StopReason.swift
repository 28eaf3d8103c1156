// SPDX-License-Identifier: Apache-2.0

extension StopReason {
    /// The outcome of a task that was stopped for this reason, whatever its handler returns.
    @inlinable package var outcome: Outcome {
        switch self {
        case .budget, .condition, .host: .expired
        case .cancelled: .cancelled
        case .shutdown, .lease: .interrupted
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
        case .lease: "lease"
        }
    }
}
