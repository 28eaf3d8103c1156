// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Violation {
    private static let others = "tasks org.curfew.test.good-swift 20"
    private static let loaded = ["load good-swift", "load violation"]
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What Swift makes possible; the others are Swift's too, with children and suspensions.
    static let swift = [
        Violation(
            "swift-spins", in: .swift,
            "is `async`, and computes forever without a suspension, in two tasks at once",
            answer: """
                As for `never-returns`, twice. Each handler's Swift task runs on the worker that \
                entered it, not on the pool that all Swift code of the process shares.
                """,
            others: "They run, also those in Swift.",
            inProcess: .other(
                answer: "As for `never-returns`, once for both.",
                runs: [
                    ViolationRun(
                        script: loaded + [
                            "launch @", "launch @", "await-event violation_progress:: 2", others,
                            "over", "await-log was killed", "destroy 300",
                        ],
                        over: [
                            ViolationRun.End(
                                outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired.")
                        ],
                        rules: [.process("was killed: the function of")])
                ]),
            ViolationRun(
                script: loaded + [
                    "launch @", "launch @", "await-event violation_progress:: 2", others, "over",
                    "await-log lost", "destroy 300",
                ],
                over: [
                    ViolationRun.End(
                        outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired.")
                ],
                rules: [.rule("lost-worker", "did not return within")],
                destroy: CURFEW_TIMED_OUT)),
        Violation(
            "swift-fills-pool", in: .swift,
            "starts work that blocks every thread of Swift's own pool forever",
            answer: """
                None: the pool is not the host's. Its own function has returned, and the host can be \
                destroyed.
                """,
            sees: "nothing",
            others: "They run, as long as they need no thread of that pool.",
            ViolationRun(
                script: loaded + [
                    "launch @", "await-event violation_progress::", others, "over", "destroy",
                ],
                over: [succeeded])),
        Violation(
            "swift-keeps-its-task", in: .swift,
            "uses its `HandlerTask` after `run` has returned",
            answer: """
                The task looks expired, with no time left and no payload; raising throws. The host \
                is not called.
                """,
            sees: "nothing",
            ViolationRun(
                script: loaded + [
                    "launch @", "over", others, "launch @", "over",
                    "await-event violation_progress::", "destroy",
                ],
                over: [succeeded, succeeded],
                check: { report in
                    #expect(
                        report.values(of: "violation_progress::") == [
                            "1.0|remaining 0.0 seconds, payload 0, refused true"
                        ])
                    #expect(!report.all("log").contains { $0.text == "too late" })
                })),
        Violation(
            "swift-throws-after-completing", in: .swift,
            "completes its task by the C table, and throws",
            answer: "The completion decides; the thrown error is ignored.", sees: "nothing",
            ViolationRun(
                script: loaded + ["flood @ 100", others, "launch @", "over", "destroy"],
                over: [succeeded])),
        Violation(
            "swift-traps", in: .swift, "reads past the end of an array",
            answer: "None: the process ends with SIGILL, or with another signal for a trap.",
            sees: "Swift's message on standard error, and the signal",
            others: "They run until then, and end with the process.",
            inProcess: .other(
                answer: "The task ends as crashed. What Swift says of it is logged.",
                runs: [
                    ViolationRun(
                        script: loaded + ["launch @", "over", others, "destroy"],
                        over: [ViolationRun.End(outcome: CURFEW_OUTCOME_CRASHED)],
                        rules: [.process("in the function of")],
                        check: { report in
                            #expect(
                                report.all("log").contains {
                                    $0.text?.contains("Index out of range") == true
                                })
                        })
                ]),
            ViolationRun(
                script: loaded + [others, "launch @", "over"], destroy: nil,
                ends: [.signalled(SIGILL), .signalled(SIGTRAP)],
                check: { #expect($0.process.errorOutput.contains("Index out of range")) })),
    ]
}
