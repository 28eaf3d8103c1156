// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Testing

extension Violation {
    private static let expiredText = "Background task expired."
    private static let expired = ViolationRun.End(
        outcome: CURFEW_OUTCOME_EXPIRED, text: expiredText)
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    /// A function that never returns, in a process: the second task runs in the next one.
    private static func killed(
        _ script: [String], over: [ViolationRun.End]
    ) -> ProcessConsequence {
        .other(
            answer: """
                The task ends as expired at the end of its grace. After a second limit the process is \
                killed, and the next one starts; no handler is quarantined, and the host is destroyed \
                in time.
                """,
            runs: [
                ViolationRun(
                    script: script, over: over, rules: [.process("was killed: the function of")])
            ])
    }

    private static let lost = LogRule.rule("lost-worker", "did not return within")

    /// How tasks end, and do not.
    static let endings = [
        Violation(
            "never-returns", "ignores its expiration and never returns",
            answer: """
                The task ends as expired at the end of its grace. After a second limit its worker \
                counts as lost and is replaced, and the handler is quarantined: it can be launched \
                again after its release. The host does not end the thread, because a thread cannot \
                be ended safely from outside; destroying the host returns `TIMED_OUT` and keeps the \
                memory that the thread may touch.
                """,
            sees: "the handler listed as quarantined, with the reason",
            inProcess: killed(
                Script.loaded + [
                    "launch @", "await begun", Script.others, "over", "await-log was killed",
                    "launch @", "await begun 2", Script.others, "over", "destroy 300",
                ], over: [expired, expired]),
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", Script.others, "over", "await-log lost",
                    "handler @", "launch @", Script.others, "destroy 300",
                ],
                over: [expired], rules: [lost], destroy: CURFEW_TIMED_OUT,
                check: { report in
                    #expect(report.all("launch").map(\.status) == [CURFEW_OK, CURFEW_QUARANTINED])
                    #expect(report.all("handler").map(\.quarantined) == [true])
                    #expect(report.all("handler").first?.why?.isEmpty == false)
                    #expect(report.values(of: "violation_expired").count == 1)
                })),
        Violation(
            "takes-every-worker", "never stops computing, on every worker that there is",
            answer: "As above, for each of its tasks.",
            others: """
                Tasks of the same kind wait until the first lost worker is replaced, and then run.
                """,
            inProcess: .other(
                answer: """
                    As above, once for all of its tasks: they run in the same process. Others\u{2019} \
                    tasks do not wait for their workers.
                    """,
                runs: [
                    ViolationRun(
                        script: Script.loaded + [
                            "launch @", "launch @", "launch @", "launch @", "await begun 4",
                            Script.others, "over", "await-log was killed", "destroy 300",
                        ],
                        over: [expired], rules: [.process("was killed: the function of")])
                ]),
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "launch @", "launch @", "launch @", "await begun 4",
                    Script.others, "over", "await-log lost", "destroy 300",
                ],
                over: [expired], rules: [lost], destroy: CURFEW_TIMED_OUT)),
        Violation(
            "returns-late",
            "ignores its expiration and returns success after its worker was lost",
            answer: """
                The task ended as expired at the end of its grace; what the function returns is \
                ignored. The worker no longer counts as lost; the handler stays quarantined until it \
                is released.
                """,
            inProcess: .other(
                answer: """
                    The task ended as expired at the end of its grace. Its process is killed before the \
                    function returns.
                    """,
                runs: [
                    ViolationRun(
                        script: Script.loaded + [
                            "launch @", "await begun", Script.others, "over",
                            "await-log was killed", "open go", "launch @", "await begun 2", "over",
                            "destroy",
                        ],
                        notes: ["expired": [CURFEW_REASON_BUDGET]], over: [expired, succeeded],
                        rules: [.process("was killed: the function of")])
                ]),
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", Script.others, "over", "await-log lost", "open go",
                    "await-log come back", "handler @", "lift @", "handler @", "destroy",
                ],
                notes: ["expired": [CURFEW_REASON_BUDGET]], over: [expired], rules: [lost],
                check: { report in
                    #expect(report.all("handler").map(\.quarantined) == [true, false])
                    #expect(report.all("handler").map(\.lost) == [0, 0])
                })),
        Violation(
            "completes-twice", "completes its task, completes it again, and returns a failure",
            answer: """
                The first completion decides. The second gets `ALREADY`; what the function returns \
                is ignored. There is one done event.
                """,
            ViolationRun(
                script: Script.whole,
                notes: ["complete": [CURFEW_OK], "complete again": [CURFEW_ALREADY]],
                over: [succeeded],
                rules: [.rule("completed-twice", "called complete")])),
        Violation(
            "completes-twice-at-once",
            "has two threads complete its task at the same moment, with different answers",
            answer: """
                One is accepted, the other gets `ALREADY`, or `STALE` if the task no longer exists. \
                There is one done event.
                """,
            sees: "`completed-twice` or `stale` in the log",
            inProcess: .other(
                answer: """
                    The same. Threads count with their whole stacks as memory of the process, which has \
                    room for about a hundred.
                    """,
                sees: "`completed-twice` or `stale` in the log",
                runs: [
                    ViolationRun(
                        script: Script.loaded + [
                            "flood @ 20", "await loser", Script.others, "await loser 20",
                            "flood @ 20", "await loser 40", "flood @ 20", "await loser 60",
                            "await-event violation_done:: 60", "events", "destroy",
                        ],
                        notes: ["winner": [CURFEW_OK], "loser": [CURFEW_ALREADY, CURFEW_STALE]],
                        perhaps: ["completed-twice"],
                        check: { report in
                            #expect(report.notes("winner").count == 60)
                            #expect(report.all("events").first?.events?["violation_done::"] == 60)
                        })
                ]),
            ViolationRun(
                script: Script.loaded + [
                    "flood @ 200", "await loser", Script.others, "await loser 200",
                    "await-event violation_done:: 200", "events", "destroy",
                ],
                notes: ["winner": [CURFEW_OK], "loser": [CURFEW_ALREADY, CURFEW_STALE]],
                perhaps: ["completed-twice"],
                check: { report in
                    #expect(report.notes("winner").count == 200)
                    #expect(report.all("events").first?.events?["violation_done::"] == 200)
                })),
        Violation(
            "completes-in-grace",
            "completes its task with success after it was told to stop",
            answer: """
                It gets `LATE`. The answer is recorded; the outcome says why the task had to stop. \
                No rule is broken.
                """,
            sees: "the outcome, answered",
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", "await-event violation_expired", Script.others,
                    "open go", "over", "destroy",
                ],
                notes: ["complete": [CURFEW_LATE]],
                over: [
                    ViolationRun.End(
                        outcome: CURFEW_OUTCOME_EXPIRED, answered: true, text: expiredText)
                ])),
        Violation(
            "completes-after-grace", "completes its task when its grace is over",
            answer: """
                It gets `EXPIRED`, or `STALE` if no reference to the task is left; nothing changes. \
                The call may have begun in time, so no rule is broken.
                """,
            sees: "the outcome, not answered",
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", Script.others, "over", "open go", "await complete",
                    "destroy",
                ],
                notes: ["complete": [CURFEW_EXPIRED]], over: [expired],
                rules: [.rule("expired", "called complete")])),
        Violation(
            "completes-after-release",
            "uses a task that is over after its last reference was released",
            answer: """
                Every call returns `STALE`, `is_expired` true and `remaining_ns` 0. The id never \
                becomes that of another task.
                """,
            ViolationRun(
                script: Script.loaded + [
                    "launch-loosely @", "open complete", "await-event violation_done::",
                    "await-stale", "open go", "await begun", Script.others, "destroy",
                ],
                notes: [
                    "first": [CURFEW_OK], "complete": [CURFEW_STALE], "progress": [CURFEW_STALE],
                    "raise": [CURFEW_STALE], "keep": [CURFEW_STALE], "release": [CURFEW_STALE],
                    "task_info": [CURFEW_STALE], "is_expired": [1], "remaining_ns": [0],
                ],
                rules: [
                    .rule("stale", "called complete"), .rule("stale-task", "called progress"),
                    .rule("stale-task", "called raise"), .rule("stale-task", "called keep"),
                    .rule("stale-task", "called release"),
                    .rule("stale-task", "called task_info"),
                ],
                check: { #expect($0.values(of: "violation_done::") == ["true|"]) })),
        Violation(
            "drops-its-task",
            "returns `PENDING`, and releases the reference with which it could complete its task",
            answer: "The task is abandoned at once, not at the end of its budget.",
            ViolationRun(
                // The task is over before its thread has come to the second call.
                script: Script.meanwhile + ["over", "await complete", "destroy"],
                notes: ["release": [CURFEW_OK], "complete": [CURFEW_STALE]],
                over: [
                    ViolationRun.End(
                        outcome: CURFEW_OUTCOME_ABANDONED, text: "Background task abandoned.")
                ],
                rules: [
                    .rule("abandoned-task", "released its last reference"),
                    .rule("stale", "called complete"),
                ])),
        Violation(
            "forgets-its-task", "returns `PENDING`, and never completes its task",
            answer: """
                The task ends as expired. No worker is lost, since its function has returned. The \
                host cannot detect a forgotten task before its budget ends.
                """,
            sees: "the outcome, not answered",
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", Script.others, "over", "destroy",
                ],
                over: [expired])),
    ]
}
