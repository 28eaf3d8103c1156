// SPDX-License-Identifier: Apache-2.0

/// The end of a task.
public enum Outcome: UInt8, Sendable, CaseIterable {
    /// The task completed in time, with success.
    case succeeded = 1
    /// The task completed in time, with an error.
    case failed = 2
    /// The task was stopped: its budget was used up, a condition was lost, or the embedder asked
    /// for it.
    case expired = 3
    /// It was cancelled, before it started or while it ran.
    case cancelled = 4
    /// The host was shut down.
    case interrupted = 5
    /// The last reference to the task was released without a completion.
    case abandoned = 6
    /// The process of the plugin ended while the task ran.
    case crashed = 7

    /// The word used in text and JSON.
    package var name: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .interrupted: "interrupted"
        case .abandoned: "abandoned"
        case .crashed: "crashed"
        }
    }

    /// The text of the done event; nil if the event has the handler's own text, or none.
    package var doneText: String? {
        switch self {
        case .succeeded, .failed, .crashed: nil
        case .expired: "Background task expired."
        case .cancelled: "Background task cancelled."
        case .interrupted: "Background task interrupted."
        case .abandoned: "Background task abandoned."
        }
    }
}
