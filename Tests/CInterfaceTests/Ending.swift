// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// What can be told of a task's end.
struct Ending: Hashable, Sendable, CustomStringConvertible {
    let outcome: curfew_outcome
    let reason: curfew_reason
    let answered: Bool
    let success: Bool
    let text: String

    static let expiredText = "Background task expired."
    static let cancelledText = "Background task cancelled."
    static let interruptedText = "Background task interrupted."
    static let abandonedText = "Background task abandoned."

    init(
        _ outcome: Int, reason: Int = CURFEW_REASON_NONE, answered: Bool = false, text: String = ""
    ) {
        self.outcome = curfew_outcome(outcome)
        self.reason = curfew_reason(reason)
        self.answered = answered
        self.success = outcome == CURFEW_OUTCOME_SUCCEEDED
        self.text = text
    }

    /// What a kept task tells.
    init(of task: curfew_task, in host: TestHost) throws {
        let state = try host.query(task)
        outcome = state.outcome
        reason = state.reason
        answered = state.answered
        success = state.outcome == CURFEW_OUTCOME_SUCCEEDED
        text = host.errorText(task) ?? "(not over)"
    }

    /// The parameters of the done event.
    var done: [Parameter] { [.bool(success), .text(text)] }

    var description: String {
        "outcome \(outcome), reason \(reason), \(answered ? "" : "not ")answered, \"\(text)\""
    }
}
