// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Violation {
    private static let untilThen = "They go on until then, and end with the process."
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
            answer: "None: the process ends with SIGSEGV. Isolation `thread` is no border.",
            sees: "the signal",
            others: untilThen,
            crash("constructor", [Script.others, "load violation"], load: nil),
            crash("entry", [Script.others, "load violation"], load: nil),
            crash("run", Script.deadly.dropFirst()),
            crash("expired", Script.deadly.dropFirst())),
        Violation(
            "aborts", "finds something that cannot be, and aborts",
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
                None: the process ends with the plugin's status; exit handlers run. Nothing hangs, \
                whatever else runs.
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
                The child ends with status 70 before it runs anything of the host's; a function that \
                it calls answers as if the task or the host were gone. In the parent everything goes on.
                """,
            returnsInChild("run"), returnsInChild("bare"), returnsInChild("entry"),
            returnsInChild("retire"), returnsInChild("expired", over: false),
            ViolationRun(
                form: "calls", script: Script.whole, notes: ["answers": [7]], over: [succeeded])),
        Violation(
            "leaks-threads", "starts a hundred threads, and succeeds without them",
            answer: """
                The task has succeeded. Threads that the host did not start are not its own to count \
                or to end; they end with the process.
                """,
            sees: "nothing",
            ViolationRun(script: Script.whole, notes: ["started": [100]], over: [succeeded])),
        Violation(
            "leaks-descriptors", "opens files until the process may open no more",
            answer: """
                The host needs no new descriptor to go on, nor to be destroyed. A plugin cannot be \
                loaded then: `SYSTEM` or `REFUSED`, with the words of the system.
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
