// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The end of a task, and its results.
struct LifeEnding {
    let outcome: Outcome
    /// Nanoseconds from its start, or from its launch when it never started.
    let duration: UInt64
    /// Since the program began with it.
    let time: UInt64
    /// The text of the done event.
    let error: String
    /// The handler's own message; nil if it gave none.
    let answer: String?
    /// Why it was told to stop, or nil.
    let reason: StopReason?
    /// After it was told to stop it answered within its grace.
    let isAnswered: Bool
    /// Its function has returned.
    let isReturned: Bool
    let result: [UInt8]
    let code: ExitCode

    /// The result, where it is text.
    var resultText: String? { String(validating: result, as: UTF8.self) }
}
