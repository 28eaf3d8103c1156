// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import TestSupport
import Testing

extension Violation {
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    private static let unknown = ViolationRun.End(outcome: ViolationRun.End.any)
    private static let untilEnded =
        Script.meanwhile + ["over", "await-log its process ", Script.others, "destroy"]
    private static let again =
        Script.meanwhile + ["over", "launch @", Script.others, "over", "destroy"]

    private static func crashed(_ text: String? = nil) -> ViolationRun.End {
        ViolationRun.End(outcome: CURFEW_OUTCOME_CRASHED, text: text)
    }

    /// Everything that a plugin can take of one thing.
    private static func bomb(_ form: String, _ notes: [String: Set<Int>]) -> ViolationRun {
        ViolationRun(form: form, script: Script.whole, notes: notes, over: [succeeded])
    }

    private static func attack(_ form: String, _ notes: [String: Set<Int>]) -> ViolationRun {
        ViolationRun(form: form, script: Script.whole, notes: notes, over: [succeeded])
    }

    /// The error of prctl(2) when a plugin clears its death signal.
    private static let cleared = ConfinedMachine.has("seccomp") ? Int(EPERM) : 0

    /// The numbers of refusals: the process is not there, or must not be reached.
    private static let refused: Set<Int> = [Int(ESRCH), Int(EPERM)]

    /// What only a process of the plugin's can be allowed to do.
    static let processes = [
        Violation(
            "bombs",
            """
            takes all processes, memory, descriptors or files in memory that it gets, or writes beyond \
            1 GiB of a file
            """,
            answer: """
                The limits of its `needs`, or the defaults, hold: calls fail. Forked processes end with \
                its process. The limit of processes does not hold for root.
                """,
            sees: "the errors of the calls", isForProcesses: true,
            bomb("processes", ["processes": Set(1...100)]),
            bomb("memory", ["mebibytes": Set(1..<128)]),
            bomb("descriptors", ["descriptors": Set(1..<64)]),
            bomb("files in memory", ["descriptors": Set(1..<64)]),
            bomb("bytes of a file", ["file": [0], "written": [-1]])),
        Violation(
            "leaves-a-daemon",
            """
            leaves a process behind that has its own session, blocks every signal and is not told of \
            the end of its parent: when it returns, or when it aborts
            """,
            answer: """
                It ends with the plugin's process. The signal of prctl(2) that tells a process of its \
                parent's end cannot be changed.
                """,
            isForProcesses: true,
            ViolationRun(
                form: "return",
                script: Script.loaded + [
                    "launch @", "await daemon", "await begun", Script.others, "open go", "over",
                    "destroy",
                ],
                notes: ["cleared": [cleared], "daemon": [0]], over: [succeeded]),
            ViolationRun(
                form: "crash",
                script: Script.loaded + [
                    "launch @", "await daemon", "await begun", Script.others, "open go", "over",
                    "destroy",
                ],
                notes: ["cleared": [cleared], "daemon": [0]],
                over: [crashed("its process ended by SIGABRT in its function")],
                rules: [.process("ended by SIGABRT in the function of")])),
        Violation(
            "attacks-the-host",
            """
            kills its parent, the host by its number, and everything that it can; and changes the \
            host\u{2019}s limits, priority and processors
            """,
            answer: "The calls fail or reach nothing outside of its process.",
            sees: "the errors of the calls", isForProcesses: true,
            attack("parent", ["kill": refused.union([0])]), attack("host", ["kill": refused]),
            attack("everything", ["kill": refused.union([0])]),
            attack("limits", ["limit": refused, "priority": refused, "processors": refused])),
        Violation(
            "closes-descriptors", "closes every descriptor of its process",
            answer: "Nothing: the process needs none of them to talk with the host.",
            isForProcesses: true,
            ViolationRun(
                script: again, notes: ["closed": [CURFEW_OK]], over: [succeeded, succeeded])),
        Violation(
            "floods-output", "prints 8 MB on its standard output and on its standard error",
            answer: "64 KiB of each are logged for a task. The rest is dropped and counted.",
            sees: "`… bytes of its output are not logged`", isForProcesses: true,
            ViolationRun(
                script: Script.whole, notes: ["printed": [0]], never: ["cut"], over: [succeeded],
                check: { report in
                    let lines = report.all("log").filter { $0.text?.hasPrefix("xxx") == true }
                    #expect((60...270).contains(lines.count), "\(lines.count)")
                    #expect(
                        report.all("log").contains {
                            $0.text?.contains("bytes of its output are not logged") == true
                        })
                })),
        Violation(
            "hard-to-end",
            "never returns, and blocks and ignores every signal, or stops its process",
            answer: """
                The task ends as expired at the end of its grace. The process is killed by SIGKILL, \
                which can be neither blocked nor ignored, and ends a stopped process, too.
                """,
            isForProcesses: true, hardToEnd("blocks"), hardToEnd("stops")),
        Violation(
            "leaves-its-function",
            """
            leaves its function by `exit` with an exit handler that calls `exit` again, by longjmp into \
            a frame that has gone, or by the end of its thread
            """,
            answer: """
                The process ends, and the task with it, or the task expires and the process is killed.
                """,
            isForProcesses: true,
            ViolationRun(
                form: "exit handler",
                script: Script.meanwhile + ["over", Script.others, "destroy"],
                over: [crashed()], rules: [.process("exited with status 9")]),
            ViolationRun(
                form: "jump", script: untilEnded, over: [unknown], rules: [.process("")]),
            ViolationRun(
                form: "thread", script: untilEnded,
                over: [
                    ViolationRun.End(
                        outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired.")
                ], rules: [.process("was killed: the function of")])),
        Violation(
            "throws", in: .cpp, "throws a C++ exception out of its function",
            answer: "No frame above handles it: C++ ends the process with SIGABRT.",
            isForProcesses: true,
            ViolationRun(
                script: Script.meanwhile + ["over", Script.others, "destroy"],
                over: [crashed("its process ended by SIGABRT in its function")],
                rules: [.process("ended by SIGABRT in the function of")])),
        Violation(
            "breaks-its-channel",
            """
            overwrites, unmaps, protects or empties the memory that its process shares with the host, or \
            makes the host\u{2019}s part of it writable
            """,
            answer: """
                The host believes nothing that it reads there: the process ends, or is killed for the \
                first record that does not fit, or for the task that does not return. What the host \
                writes cannot be made writable.
                """,
            isForProcesses: true, breaking("overwrites", "was killed:"), breaking("unmaps"),
            breaking("protects"), breaking("empties", "was killed:"),
            ViolationRun(
                form: "writes what it may read", script: Script.whole,
                notes: ["refused": Set(1...4)],
                over: [succeeded])),
    ]

    private static func hardToEnd(_ form: String) -> ViolationRun {
        ViolationRun(
            form: form,
            script: Script.loaded + [
                "launch @", "await begun", Script.others, "over", "await-log was killed",
                "launch @",
                Script.others, "over", "destroy",
            ],
            over: [
                ViolationRun.End(outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired."),
                ViolationRun.End(outcome: CURFEW_OUTCOME_EXPIRED, text: "Background task expired."),
            ],
            rules: [.process("was killed: the function of")])
    }

    private static func breaking(_ form: String, _ words: String = "ended by SIG") -> ViolationRun {
        ViolationRun(
            form: form, script: untilEnded, notes: ["mappings": [1]], over: [unknown],
            rules: [.process(words)])
    }
}
