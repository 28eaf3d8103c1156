// SPDX-License-Identifier: Apache-2.0

extension StopReason {
    /// How a task ends that was told to stop for this reason, whatever it answers.
    @inlinable package var outcome: Outcome {
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
