// SPDX-License-Identifier: Apache-2.0

/// How a task ended.
public enum Outcome: UInt8, Sendable, CaseIterable {
    case succeeded = 1
    case failed = 2
    case expired = 3
    case cancelled = 4
    case interrupted = 5
    case abandoned = 6

    /// The word used in text and JSON.
    public var name: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .interrupted: "interrupted"
        case .abandoned: "abandoned"
        }
    }

    /// The text of the done event, or nil where the handler's own text (or none) is used.
    public var doneText: String? {
        switch self {
        case .succeeded, .failed: nil
        case .expired: "Background task expired."
        case .cancelled: "Background task cancelled."
        case .interrupted: "Background task interrupted."
        case .abandoned: "Background task abandoned."
        }
    }
}
