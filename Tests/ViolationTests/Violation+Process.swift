// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Violation {
    private static let untilThen = "They run until then, and end with the process."
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    private static let segmentationFault: Set<ChildProcess.Ending> = [.signalled(SIGSEGV)]

    /// The task ends as crashed, and the log says how its process has ended; the next task begins in
    /// another one.
    private static func ended(
        _ words: String, form: String = "", as outcome: Int = CURFEW_OUTCOME_CRASHED, text: String
    ) -> ViolationRun {
        ViolationRun(
            form: form,
            script: Script.meanwhile + [
                "over", "launch @", "await begun 2", Script.others, "over", "destroy",
            ],
            over: [
                ViolationRun.End(outcome: outcome, text: text),
                ViolationRun.End(outcome: outcome, text: text),
            ],
            rules: [.process(words)])
    }

    /// The plugin is refused because its process ends while it is loaded.
    private static func endedLoading(_ words: String, form: String) -> ViolationRun {
        ViolationRun(
            form: form,
            script: ["load good", Script.others, "load violation", Script.others, "destroy"],
            load: CURFEW_FAILED, rules: [.loading("load-entry", words)])
    }

    private static let crashed = """
        The task ends as crashed, with how and where its process has ended; queued tasks run in the \
        next process. A task that was told to stop ends for that reason. While it is loaded: `FAILED`.
        """

    /// What ends the process in which the plugin runs, or uses up what it has.
    static let process = [
        Violation(
            "crashes",
            """
            writes to address 0: in a constructor, in its entry, in its function or in its \
            expiration callback
            """,
            answer: "None: the process ends with SIGSEGV. Isolation `thread` does not protect it.",
            sees: "the signal",
            others: untilThen,
            inProcess: .other(
                answer: crashed,
                runs: [
                    endedLoading("ended by SIGSEGV at 0x0 in a constructor", form: "constructor"),
                    endedLoading("ended by SIGSEGV at 0x0 in its entry", form: "entry"),
                    ended(
                        "ended by SIGSEGV at 0x0 in the function of", form: "run",
                        text: "its process ended by SIGSEGV at 0x0 in its function"),
                    // It had been told to stop: the outcome says why.
                    ended(
                        "ended by SIGSEGV at 0x0 in the expiration callback of", form: "expired",
                        as: CURFEW_OUTCOME_EXPIRED, text: "Background task expired."),
                ]),
            crash("constructor", [Script.others, "load violation"], load: nil),
            crash("entry", [Script.others, "load violation"], load: nil),
            crash("run", Script.deadly.dropFirst()),
            crash("expired", Script.deadly.dropFirst())),
        Violation(
            "aborts", "calls `abort`",
            answer: "None: the process ends with SIGABRT.", sees: "the signal", others: untilThen,
            inProcess: .other(
                answer: crashed,
                runs: [
                    ended(
                        "ended by SIGABRT in the function of",
                        text: "its process ended by SIGABRT in its function")
                ]),
            ViolationRun(script: Script.deadly, destroy: nil, ends: [.signalled(SIGABRT)])),
        Violation(
            "overflows-its-stack", "calls itself until its stack is full",
            answer: "None: the process ends with SIGSEGV, at the guard page of the worker's stack.",
            sees: "the signal", others: untilThen,
            inProcess: .other(
                answer: crashed,
                runs: [
                    ended(
                        "overflowed its stack (SIGSEGV) in the function of",
                        text: "its process overflowed its stack (SIGSEGV) in its function")
                ]),
            ViolationRun(script: Script.deadly, destroy: nil, ends: segmentationFault)),
        Violation(
            "exits", "ends the process: in its entry, or in a task",
            answer: """
                None: the process ends with the plugin's status; exit handlers run. Other \
                running tasks do not block the exit.
                """,
            sees: "the status",
            others: untilThen,
            inProcess: .other(
                answer: crashed,
                runs: [
                    endedLoading("exited with status 7 in its entry", form: "entry"),
                    ended(
                        "exited with status 7 in the function of", form: "run",
                        text: "its process exited with status 7 in its function"),
                ]),
            ViolationRun(
                form: "entry", script: ["load good", Script.others, "load violation"], load: nil,
                destroy: nil, ends: [.exited(7)]),
            ViolationRun(
                form: "run", script: Script.deadly, destroy: nil, ends: [.exited(7)])),
        Violation(
            "returns-in-a-child",
            """
            forks, and returns in the child, too: from its function, from its expiration callback, \
            from its entry, or when it is retired; or calls functions of the host there
            """,
            answer: """
                The child ends with status 70 before it runs code of the host; a function of the host \
                returns in the child as if the task or the host no longer existed. The parent is not \
                affected.
                """,
            inProcess: .other(
                answer:
                    "The same; the log does not say it, since the child has no channel to the host.",
                runs: ["run", "bare", "entry", "retire"].map {
                    returnsInChild($0, isSaid: false)
                } + [
                    returnsInChild("expired", over: false, isSaid: false),
                    ViolationRun(
                        form: "calls", script: Script.whole, notes: ["answers": [7]],
                        over: [succeeded]),
                ]),
            returnsInChild("run"), returnsInChild("bare"), returnsInChild("entry"),
            returnsInChild("retire"), returnsInChild("expired", over: false),
            ViolationRun(
                form: "calls", script: Script.whole, notes: ["answers": [7]], over: [succeeded])),
        Violation(
            "leaks-threads", "starts a hundred threads, and returns success while they run",
            answer: """
                The task has succeeded. The host neither counts nor ends threads that it did not \
                start; they end with the process.
                """,
            sees: "nothing",
            ViolationRun(script: Script.whole, notes: ["started": [100]], over: [succeeded])),
        Violation(
            "leaks-descriptors", "opens files until the process has no descriptor left",
            answer: """
                The host needs no new descriptor to run or to be destroyed. Loading a plugin then \
                returns `SYSTEM` or `REFUSED`, with the system's error text.
                """,
            sees: "nothing",
            inProcess: .other(
                answer:
                    "Its process has none left. The host has its own, and loads the next plugin.",
                runs: [
                    ViolationRun(
                        script: Script.loaded + [
                            "launch @", "await begun", Script.others, "load patient", "open go",
                            "over", "destroy",
                        ],
                        over: [succeeded],
                        check: { report in
                            let other = report.all("load").first { $0.plugin == "patient" }
                            #expect(other?.status == CURFEW_OK)
                        })
                ]),
            ViolationRun(
                script: Script.loaded + [
                    "launch @", "await begun", Script.others, "load patient", "open go", "over",
                    "destroy",
                ],
                over: [succeeded],
                check: { report in
                    let other = report.all("load").first { $0.plugin == "patient" }
                    #expect([CURFEW_SYSTEM, CURFEW_REFUSED].contains(other?.status))
                    #expect(other?.message?.contains("Too many open files") == true)
                })),
    ]

    private static func returnsInChild(
        _ form: String, over: Bool = true, isSaid: Bool = true
    ) -> ViolationRun {
        ViolationRun(
            form: form, script: over ? Script.whole : Script.meanwhile + ["destroy"],
            notes: ["child": [70]], over: over ? [succeeded] : [],
            rules: isSaid
                ? [.rule("forked-return", "forked, and the child returned to the host")] : [])
    }

    private static func crash(
        _ form: String, _ steps: some Sequence<String>, load: Int? = CURFEW_OK
    ) -> ViolationRun {
        ViolationRun(
            form: form, script: ["load good"] + steps, load: load, destroy: nil,
            ends: segmentationFault)
    }
}
