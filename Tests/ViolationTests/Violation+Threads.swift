// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Testing

extension Violation {
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    private static let stoppedInTime = ViolationRun.End(
        outcome: CURFEW_OUTCOME_EXPIRED, answered: true, text: "Background task expired.")

    /// Who calls the host, from where, and what is done to the threads that call a plugin.
    static let threads = [
        Violation(
            "slow-expired",
            "does not return from its expiration callback for a long time, or ever",
            answer: """
                Another thread watches the deadlines meanwhile, and is started where there is none. A \
                callback that never returns keeps its thread; destroying the host answers \
                `TIMED_OUT`.
                """,
            others: "They are told to stop in time.",
            inProcess: .other(
                answer: """
                    It keeps a thread of its own process. The host is destroyed in time: it does not \
                    wait for a process.
                    """,
                runs: [
                    ViolationRun(
                        form: "for a while",
                        script: Script.loaded + [
                            "load patient", "launch @", "await begun", "open told", Script.others,
                            "tasks org.curfew.test.patient 3", "over", "open go", "await left",
                            "destroy",
                        ],
                        over: [stoppedInTime]),
                    ViolationRun(
                        form: "for ever",
                        script: Script.loaded + [
                            "load patient", "launch @", "await begun", "open told", Script.others,
                            "tasks org.curfew.test.patient 3", "over", "destroy 300",
                        ],
                        over: [stoppedInTime]),
                ]),
            ViolationRun(
                form: "for a while",
                script: Script.loaded + [
                    "load patient", "launch @", "await begun", "open told", Script.others,
                    "tasks org.curfew.test.patient 3", "over", "open go", "await left", "destroy",
                ],
                over: [stoppedInTime], rules: [.rule("slow-callback", "callback")]),
            ViolationRun(
                form: "for ever",
                script: Script.loaded + [
                    "load patient", "launch @", "await begun", "open told", Script.others,
                    "tasks org.curfew.test.patient 3", "over", "destroy 300",
                ],
                over: [stoppedInTime], destroy: CURFEW_TIMED_OUT)),
        Violation(
            "reentrant-expired",
            """
            calls every function about a task in its expiration callback, and waits there for its \
            handler's function
            """,
            answer: """
                Every call returns as on any other thread, `LATE` for the completion; no lock is held. \
                Only the registration and the second release are violations.
                """,
            ViolationRun(
                script: Script.whole,
                notes: [
                    "task_info": [CURFEW_OK], "reason": [CURFEW_REASON_BUDGET], "is_expired": [1],
                    "keep": [CURFEW_OK], "progress": [CURFEW_OK], "raise": [CURFEW_OK],
                    "register": [CURFEW_WRONG_STATE], "complete": [CURFEW_LATE],
                    "complete again": [CURFEW_ALREADY], "progress after": [CURFEW_ALREADY],
                    "release": [CURFEW_OK], "release again": [CURFEW_WRONG_STATE], "left": [0],
                ],
                over: [stoppedInTime],
                rules: [
                    .rule("late-registration", "called register_handler"),
                    .rule("unkept-release", "called release"),
                ])),
        Violation(
            "calls-from-foreign-thread",
            """
            uses its table on a thread of its own: before its first task, with invalid task ids, and \
            for a task whose function has returned
            """,
            answer: """
                Every thread may call. Registering is over (`WRONG_STATE`), an invalid task is \
                `STALE`, and the task can be completed.
                """,
            ViolationRun(
                script: Script.loaded + [
                    "open loaded", "launch @", "await pending", "open launched", "await begun",
                    Script.others, "open go", "over", "await complete", "destroy",
                ],
                notes: [
                    "register": [CURFEW_WRONG_STATE], "complete none": [CURFEW_STALE],
                    "complete another": [CURFEW_STALE], "progress": [CURFEW_OK],
                    "raise": [CURFEW_OK], "keep": [CURFEW_OK], "release": [CURFEW_OK],
                    "complete": [CURFEW_OK],
                ],
                over: [succeeded],
                rules: [
                    .rule("late-registration", "called register_handler"),
                    .rule("stale", "called complete"), .rule("log-level", "level 4"),
                ],
                check: { report in
                    let said = report.all("log").filter { $0.text == "said from outside" }
                    #expect(said.map(\.level) == [CURFEW_LOG_ERROR])
                })),
        Violation(
            "calls-after-retirement",
            "uses its table after the host was destroyed, with or without a kept reference",
            answer: "The table is never freed: `CLOSING` and `STALE`.",
            inProcess: .other(
                answer: "Its threads have ended with its process when the host is destroyed.",
                runs: [
                    ViolationRun(
                        form: "keeps", script: Script.meanwhile + ["over", "destroy", "open gone"],
                        notes: ["retired": [0]], never: ["register", "done"], over: [succeeded],
                        rules: [.rule("kept-reference", "holds 1 reference")])
                ]),
            retired("keeps", [.rule("kept-reference", "holds 1 reference")]),
            retired("owes nothing", [])),
        Violation(
            "calls-from-constructor",
            "calls the host from a constructor, with the table of another plugin",
            answer: """
                `WRONG_STATE` for registering, `STALE` for tasks. The plugin is loaded. The log names \
                the plugin that owns the table as the caller.
                """,
            sees: "lines about the plugin that owns the table",
            inProcess: .impossible("No other plugin\u{2019}s table is in its process."),
            ViolationRun(
                script: Script.whole,
                notes: [
                    "register": [CURFEW_WRONG_STATE], "task_info": [CURFEW_STALE],
                    "complete": [CURFEW_STALE], "progress": [CURFEW_STALE],
                    "raise": [CURFEW_STALE],
                ],
                over: [succeeded],
                check: { report in
                    #expect(report.all("log").contains { $0.text == "said too early" })
                    #expect(!report.log(of: "", level: CURFEW_LOG_CONTRACT_VIOLATION).isEmpty)
                })),
        Violation(
            "calls-from-exit", "completes its task in an exit handler, and in a destructor",
            answer: """
                While the host exists the first is accepted and the second gets `ALREADY`; after it \
                was destroyed both get `CLOSING`. The exit status of the process does not change.
                """,
            inProcess: .other(
                answer: """
                    Neither is called: a process is killed, with the host or when the host is destroyed.
                    """,
                runs: [
                    ViolationRun(
                        form: "of a host",
                        script: Script.loaded + ["launch @", "await begun", Script.others],
                        never: ["at exit", "destructor"], destroy: nil),
                    ViolationRun(
                        form: "after a host",
                        script: Script.loaded + [
                            "launch @", "await begun", Script.others, "destroy 300",
                        ],
                        never: ["at exit", "destructor"]),
                ]),
            ViolationRun(
                form: "of a host",
                script: Script.loaded + ["launch @", "await begun", Script.others],
                notes: ["at exit": [CURFEW_OK], "destructor": [CURFEW_ALREADY]],
                rules: [.rule("completed-twice", "called complete")], destroy: nil,
                check: { #expect($0.all("log").contains { $0.text == "said at exit" }) }),
            ViolationRun(
                form: "after a host",
                script: Script.loaded + ["launch @", "await begun", Script.others, "destroy 300"],
                notes: ["at exit": [CURFEW_CLOSING], "destructor": [CURFEW_CLOSING]])),
    ]

    private static func retired(_ form: String, _ rules: [LogRule]) -> ViolationRun {
        ViolationRun(
            form: form,
            script: Script.meanwhile + ["over", "destroy", "open gone", "await done"],
            notes: [
                "retired": [0], "register": [CURFEW_CLOSING], "task_info": [CURFEW_STALE],
                "is_expired": [1], "remaining_ns": [0], "progress": [CURFEW_STALE],
                "raise": [CURFEW_STALE], "complete": [CURFEW_CLOSING],
                "keep again": [CURFEW_STALE], "release": [CURFEW_STALE],
            ],
            over: [succeeded], rules: rules,
            check: { report in
                #expect(!report.all("log").contains { $0.text == "said to nobody" })
            })
    }
}
