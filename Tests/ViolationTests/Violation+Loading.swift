// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import TestSupport

extension Violation {
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What can be wrong with a plugin before it has a task.
    static let loading = [
        Violation(
            "wrong-note", "was built for another ABI",
            answer: "`ABI_MISMATCH`, before any of its code runs.",
            ViolationRun(
                script: Script.refused, load: CURFEW_ABI_MISMATCH, never: ["ran"],
                rules: [.loading("load-abi", "was built for ABI")])),
        Violation(
            "no-note", "does not say for which ABI it was built",
            answer: "`REFUSED`, before any of its code runs.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED, never: ["ran"],
                rules: [.loading("load-note", "has no Curfew note")])),
        Violation(
            "missing-entry", "is a library without an entry",
            answer: "`REFUSED`.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-symbol", "exports no curfew_plugin_entry")])),
        Violation(
            "unresolved-symbol", "calls a function that no library has",
            answer: "`REFUSED` when it is loaded, not when a task gets there.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-link", "undefined symbol: nowhere_to_be_found")])),
        Violation(
            "entry-fails",
            "registers its handler, and then returns an error from its entry",
            answer: """
                `FAILED` with the text of the plugin's error. None of its handlers is registered.
                """,
            ViolationRun(
                script: Script.refused, load: CURFEW_FAILED,
                rules: [.loading("load-entry", "failed: the licence has run out")])),
        Violation(
            "registers-nothing",
            "returns success from its entry without having registered a handler",
            answer: "`REFUSED`: the manifest promises one.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-unregistered", "did not register it")])),
        Violation(
            "registers-undeclared",
            """
            registers a handler that its manifest does not declare, and returns the error, or \
            ignores it
            """,
            answer: "`DENIED`, and the plugin is refused either way: manifest and library differ.",
            undeclared("insists"), undeclared("goes on")),
        Violation(
            "registers-anothers", "registers its function under another plugin's identifier",
            answer: "`DENIED`, and the plugin is refused. The other one keeps its handler.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED,
                notes: ["register": [CURFEW_DENIED, CURFEW_EXISTS]],
                rules: [
                    .rule("taken-handler", "\"org.curfew.test.good\""),
                    .loading("load-undeclared", "\"org.curfew.test.good\""),
                ])),
        Violation(
            "claims-anothers", "claims another plugin's identifier in its manifest",
            answer: "`EXISTS`, before any of its code runs. The first one stays.",
            ViolationRun(
                script: Script.refused, load: CURFEW_EXISTS, never: ["ran"],
                rules: [.loading("load-taken", "is taken by plugin \"org.curfew.test.good\"")])),
        Violation(
            "registers-late", "registers a handler in the middle of a task",
            answer: "`WRONG_STATE`. Nothing is registered.",
            ViolationRun(
                script: Script.whole, notes: ["register": [CURFEW_WRONG_STATE]],
                over: [succeeded],
                rules: [.rule("late-registration", "called register_handler")])),
        Violation(
            "never-loads", "never returns from its entry, or from a constructor",
            answer: """
                The call that loads it does not return either, and no other plugin can be loaded. \
                Destroying the host returns `TIMED_OUT` and keeps its memory. A constructor blocks \
                the system's loader as well: then `exit` does not end the process, but `_exit` does.
                """,
            sees: "nothing in the log; the call that loads it does not return",
            others: "Tasks of loaded plugins run as before.",
            inProcess: .other(
                answer: """
                    The process is killed after 10 s, and the plugin is refused with `FAILED`. Other \
                    plugins are loaded meanwhile, and the host is destroyed in time.
                    """,
                runs: (WholeMatrix.isWanted ? ["entry", "constructor"] : ["entry"]).map { form in
                    ViolationRun(
                        form: form,
                        script: [
                            "load good", "load-aside violation", "await begun", Script.others,
                            "await-load never-loads", "destroy",
                        ],
                        load: CURFEW_FAILED,
                        rules: [.loading("load-entry", "has not been loaded within 10 s")])
                }),
            ViolationRun(
                form: "entry",
                script: [
                    "load good", "load-aside violation", "await begun", Script.others,
                    "destroy 300",
                    "leave",
                ], load: nil, destroy: CURFEW_TIMED_OUT),
            ViolationRun(
                form: "constructor",
                script: [
                    "load good", "load-aside violation", "await begun", Script.others,
                    "destroy 300",
                    "leave",
                ], load: nil, destroy: CURFEW_TIMED_OUT)),
    ]

    private static func undeclared(_ form: String) -> ViolationRun {
        ViolationRun(
            form: form, script: Script.refused, load: CURFEW_REFUSED,
            notes: ["register": [CURFEW_DENIED]],
            rules: [
                .rule("undeclared-handler", "called register_handler"),
                .loading("load-undeclared", "\"org.curfew.violation.undeclared\""),
            ])
    }
}
