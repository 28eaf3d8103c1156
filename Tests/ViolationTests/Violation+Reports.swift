// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Testing

extension Violation {
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What tasks tell while they run.
    static let reports = [
        Violation(
            "raises-undeclared",
            """
            raises an event its manifest does not declare, a declared one with other parameters, and \
            one of another plugin
            """,
            answer: "`DENIED`, or `INVALID` for the parameters. Nothing is raised.",
            ViolationRun(
                script: Script.whole,
                notes: [
                    "undeclared": [CURFEW_DENIED], "other types": [CURFEW_INVALID],
                    "another's": [CURFEW_DENIED],
                ],
                over: [succeeded],
                rules: [
                    .rule("undeclared-event", "raised \"violation_shouted\""),
                    .rule("event-types", "raised \"violation_said:\""),
                ],
                check: { #expect($0.values(of: "violation_said:").isEmpty) })),
        Violation(
            "raises-done", "raises its own `violation_done::`, and then fails",
            answer: "`DENIED`: only the host raises that event. There is one done event, its own.",
            ViolationRun(
                script: Script.whole, notes: ["raise": [CURFEW_DENIED]],
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED)],
                rules: [.rule("host-event", "raised \"violation_done::\"")])),
        Violation(
            "raises-100000-events", "raises 100,000 events as fast as it can",
            answer: """
                Each is delivered, or gets `BUSY` because the queue is full; an event tells \
                subscribers how many were lost. Done events have reserved room and are never lost.
                """,
            sees: "`event-flood` in the log, if any was lost",
            ViolationRun(
                script: Script.meanwhile + ["over", "destroy", "events"],
                notes: ["raised": [100_000]], over: [succeeded], perhaps: ["event-flood"],
                check: { report in
                    let events = report.all("events").first?.events ?? [:]
                    #expect(events["violation_said:"] == report.notes("queued").first)
                    #expect(events["good_done::"] == 20)
                })),
        Violation(
            "talks-nonsense",
            """
            reports a progress of 7, completes with `PENDING`, with a result at NULL and with one of \
            1 TiB, and returns an unknown status
            """,
            answer: """
                `INVALID`, and `TOO_LARGE` for the result; the task is not completed by any of them. \
                The unknown status is a failure.
                """,
            ViolationRun(
                script: Script.whole,
                notes: [
                    "progress of 7": [CURFEW_INVALID], "progress of NaN": [CURFEW_INVALID],
                    "complete as pending": [CURFEW_INVALID],
                    "complete with nothing": [CURFEW_INVALID],
                    "complete with too much": [CURFEW_TOO_LARGE],
                ],
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED)],
                rules: [
                    .rule("progress-range", "reported progress"),
                    .rule("completion-arguments", "called complete with CURFEW_PENDING"),
                    .rule("result-size", "1099511627776 bytes"),
                ])),
    ]
}
