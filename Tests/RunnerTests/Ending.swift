// SPDX-License-Identifier: Apache-2.0

import Scheduling

@testable import Runner

/// The end of a task as its state and its done event have it.
struct Ending: Hashable, Sendable, CustomStringConvertible {
    let outcome: Outcome?
    let reason: StopReason?
    let isAnswered: Bool
    let text: String

    static let expiredText = "Background task expired."
    static let cancelledText = "Background task cancelled."
    static let interruptedText = "Background task interrupted."
    static let abandonedText = "Background task abandoned."

    init(
        _ outcome: Outcome, reason: StopReason? = nil, answered: Bool = false, text: String = ""
    ) {
        self.outcome = outcome
        self.reason = reason
        isAnswered = answered
        self.text = text
    }

    /// Reads the end of a kept task.
    init(of task: UInt64, in host: TestHost) throws {
        let state = try host.query(task)
        outcome = state.outcome
        reason = state.reason
        isAnswered = state.isAnswered
        text = host.errorText(task) ?? "(not over)"
    }

    /// The values of the done event.
    var done: [EventValue] { [.bool(outcome == .succeeded), .text(text)] }

    var description: String {
        "outcome \(outcome, default: "none"), reason \(reason, default: "none"), "
            + "\(isAnswered ? "" : "not ")answered, \"\(text)\""
    }
}
