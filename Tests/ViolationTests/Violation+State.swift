// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

extension Violation {
    private static func change(
        _ name: String, _ does: String, _ answer: String, _ word: String,
        inProcess: ProcessConsequence = .same
    ) -> Violation {
        Violation(
            name, does + ", in a constructor or in its entry",
            answer: """
                \(answer), and the plugin is used. Changes by a task are not detected.
                """,
            inProcess: inProcess, run("constructor", word), run("entry", word))
    }

    private static func run(_ form: String, _ word: String?) -> ViolationRun {
        ViolationRun(
            form: form,
            script: [
                "load good", "state", "load violation", "state", "launch @", "await begun",
                Script.others, "open go", "over", "destroy",
            ],
            over: [ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")],
            rules: word.map { [.rule("process-state", $0)] } ?? [])
    }

    /// What belongs to the whole process, or to the thread that loads the plugin.
    static let state = [
        change(
            "changes-signal-handlers",
            "installs handlers for SIGTERM and SIGSEGV and ignores SIGCHLD",
            "The handlers are restored", "what the signal SIGTERM does"),
        change(
            "changes-signal-mask", "blocks signals on the thread that loads it",
            "The mask is restored", "signal mask",
            inProcess: .other(
                answer:
                    "Nothing changes: the threads of a process have all signals blocked anyway.",
                runs: [run("constructor", nil), run("entry", nil)])),
        change(
            "changes-umask", "sets the umask so that every new file is writable for all users",
            "It is restored", "umask"),
        change(
            "changes-floating-point",
            "sets the floating-point control of the thread that loads it to round up and to flush subnormals",
            "Both are restored", "floating-point control"),
        change(
            "changes-directory", "changes the working directory of the process",
            "The working directory is restored", "working directory"),
    ]
}
