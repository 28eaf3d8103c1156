// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Misdeed {
    private static let others = "tasks org.curfew.test.good-swift 20"
    private static let loaded = ["load good-swift", "load misdeed"]
    private static let succeeded = MisdeedRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What Swift makes possible; the others are Swift's too, with children and suspensions.
    static let swift = [
        Misdeed(
            "swift-spins", in: .swift,
            "is `async` by name, and computes for ever without giving way, in two tasks at once",
            answer: """
                As for `never-returns`, twice. Each handler's Swift task runs on the worker that \
                entered it, not on the pool that all Swift code of the process shares.
                """,
            others: "They go on, also those in Swift.",
            MisdeedRun(
                script: loaded + [
                    "launch @", "launch @", "await-event misdeed_progress:: 2", others, "over",
                    "await-log lost", "destroy 300",
                ],
                over: [
                    MisdeedRun.End(
                        outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired.")
                ],
                rules: [.rule("lost-worker", "did not return within")],
                destroy: CURFEW_TIMED_OUT)),
        Misdeed(
            "swift-fills-pool", in: .swift,
            "leaves work behind that takes every thread of Swift's own pool, and never ends",
            answer: """
                None: the pool is not the host's. Its own function has returned, and the host can be \
                destroyed.
                """,
            sees: "nothing",
            others: "They go on, as long as they need no thread of that pool.",
            MisdeedRun(
                script: loaded + [
                    "launch @", "await-event misdeed_progress::", others, "over", "destroy",
                ],
                over: [succeeded])),
        Misdeed(
            "swift-keeps-its-task", in: .swift,
            "uses its `HandlerTask` when `run` has long returned",
            answer: """
                It answers as for a task that is over: expired, nothing left, no payload; raising \
                throws. Nothing of it reaches the host.
                """,
            sees: "nothing",
            MisdeedRun(
                script: loaded + [
                    "launch @", "over", others, "launch @", "over",
                    "await-event misdeed_progress::", "destroy",
                ],
                over: [succeeded, succeeded],
                check: { report in
                    #expect(
                        report.values(of: "misdeed_progress::") == [
                            "1.0|remaining 0.0 seconds, payload 0, refused true"
                        ])
                    #expect(!report.all("log").contains { $0.text == "too late" })
                })),
        Misdeed(
            "swift-throws-after-completing", in: .swift,
            "completes its task by the C table, and throws",
            answer: "The completion decides; what is thrown is ignored.", sees: "nothing",
            MisdeedRun(
                script: loaded + ["flood @ 100", others, "launch @", "over", "destroy"],
                over: [succeeded])),
        Misdeed(
            "swift-traps", in: .swift, "reads past the end of an array",
            answer: "None: the process ends with SIGILL, or what the processor has for a trap.",
            sees: "Swift's message on standard error, and the signal",
            others: "They go on until then, and end with the process.",
            MisdeedRun(
                script: loaded + [others, "launch @", "over"], destroy: nil,
                ends: [.signalled(SIGILL), .signalled(SIGTRAP)],
                check: { #expect($0.process.errorOutput.contains("Index out of range")) })),
    ]
}
