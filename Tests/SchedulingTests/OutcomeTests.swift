// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Outcomes and reasons")
struct OutcomeTests {
    @Test("an outcome has the number and the word that headers and JSON use")
    func numbersAndWords() {
        #expect(Outcome.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            Outcome.allCases.map(\.name) == [
                "succeeded", "failed", "expired", "cancelled", "interrupted", "abandoned",
                "crashed",
            ])
    }

    @Test("the done event has a text of its own where neither handler nor process decided")
    func doneTexts() {
        #expect(Outcome.succeeded.doneText == nil)
        #expect(Outcome.failed.doneText == nil)
        #expect(Outcome.crashed.doneText == nil)
        #expect(Outcome.expired.doneText == "Background task expired.")
        #expect(Outcome.cancelled.doneText == "Background task cancelled.")
        #expect(Outcome.interrupted.doneText == "Background task interrupted.")
        #expect(Outcome.abandoned.doneText == "Background task abandoned.")
    }

    @Test("an outcome fits into its three bits, and none is zero")
    func range() {
        #expect(Outcome.allCases.allSatisfy { (1...7).contains($0.rawValue) })
        #expect(Outcome(rawValue: 0) == nil)
    }

    @Test("a reason has the number and the word that headers and JSON use")
    func reasons() {
        #expect(StopReason.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(
            StopReason.allCases.map(\.name) == [
                "budget", "condition", "host", "cancelled", "shutdown", "lease",
            ])
        #expect(StopReason(rawValue: 0) == nil)
    }

    @Test("a reason says how a task ends that was told to stop for it")
    func outcomesOfReasons() {
        #expect(StopReason.budget.outcome == .expired)
        #expect(StopReason.condition.outcome == .expired)
        #expect(StopReason.host.outcome == .expired)
        #expect(StopReason.cancelled.outcome == .cancelled)
        #expect(StopReason.shutdown.outcome == .interrupted)
        #expect(StopReason.lease.outcome == .interrupted)
    }

    @Test("a phase has the number and the word that headers and JSON use")
    func phases() {
        let phases: [TaskPhase] = [.queued, .held, .running, .pending, .stopping, .over]
        #expect(phases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(
            phases.map(\.name) == ["queued", "held", "running", "pending", "stopping", "over"])
    }
}
