// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

extension Violation {
    private static func change(
        _ name: String, _ does: String, _ answer: String, _ word: String
    ) -> Violation {
        Violation(
            name, does + ", in a constructor or in its entry",
            answer: """
                \(answer), and the plugin is used. What a task changes later is not noticed.
                """,
            run("constructor", word), run("entry", word))
    }

    private static func run(_ form: String, _ word: String) -> ViolationRun {
        ViolationRun(
            form: form,
            script: [
                "load good", "state", "load violation", "state", "launch @", "await begun",
                Script.others, "open go", "over", "destroy",
            ],
            over: [ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")],
            rules: [.rule("process-state", word)])
    }

    /// What belongs to the whole process, or to the thread that loads the plugin.
    static let state = [
        change(
            "changes-signal-handlers",
            "takes SIGTERM and SIGSEGV for itself and ignores SIGCHLD",
            "The handlers are put back", "what the signal SIGTERM does"),
        change(
            "changes-signal-mask", "blocks signals on the thread that loads it",
            "The mask is put back", "signal mask"),
        change(
            "changes-umask", "sets the umask so that every new file is writable for everybody",
            "It is put back", "umask"),
        change(
            "changes-floating-point",
            "makes the thread that loads it round upwards and lose small numbers",
            "Both are put back", "floating-point control"),
        change(
            "changes-directory", "takes the whole process to another directory",
            "The process is taken back to where it was", "working directory"),
    ]
}
