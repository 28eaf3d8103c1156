// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Violation {
    private static let untilThen = "They run until then, and end with the process."
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    private static let segmentationFault: Set<ChildProcess.Ending> = [.signalled(SIGSEGV)]

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
            crash("constructor", [Script.others, "load violation"], load: nil),
            crash("entry", [Script.others, "load violation"], load: nil),
            crash("run", Script.deadly.dropFirst()),
            crash("expired", Script.deadly.dropFirst())),
        Violation(
            "aborts", "calls `abort`",
            answer: "None: the process ends with SIGABRT.", sees: "the signal", others: untilThen,
            ViolationRun(script: Script.deadly, destroy: nil, ends: [.signalled(SIGABRT)])),
        Violation(
            "overflows-its-stack", "calls itself until its stack is full",
            answer: "None: the process ends with SIGSEGV, at the guard page of the worker's stack.",
            sees: "the signal", others: untilThen,
            ViolationRun(script: Script.deadly, destroy: nil, ends: segmentationFault)),
        Violation(
            "exits", "ends the process: in its entry, or in a task",
            answer: """
                None: the process ends with the plugin's status; exit handlers run. Other \
                running tasks do not block the exit.
                """,
            sees: "the status",
            others: untilThen,
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

    private static func returnsInChild(_ form: String, over: Bool = true) -> ViolationRun {
        ViolationRun(
            form: form, script: over ? Script.whole : Script.meanwhile + ["destroy"],
            notes: ["child": [70]], over: over ? [succeeded] : [],
            rules: [.rule("forked-return", "forked, and the child returned to the host")])
    }

    private static func crash(
        _ form: String, _ steps: some Sequence<String>, load: Int? = CURFEW_OK
    ) -> ViolationRun {
        ViolationRun(
            form: form, script: ["load good"] + steps, load: load, destroy: nil,
            ends: segmentationFault)
    }
}
