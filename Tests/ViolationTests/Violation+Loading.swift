// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

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
            "entry-fails", "registers its handler, and then does not want to be loaded",
            answer: "`FAILED` with its own words. Nothing of it is registered.",
            ViolationRun(
                script: Script.refused, load: CURFEW_FAILED,
                rules: [.loading("load-entry", "failed: the licence has run out")])),
        Violation(
            "registers-nothing", "says that all went well, and has registered no handler",
            answer: "`REFUSED`: the manifest promises one.",
            ViolationRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-unregistered", "did not register it")])),
        Violation(
            "registers-undeclared",
            """
            registers more than its manifest declares, and passes the answer on, or keeps it to \
            itself and goes on
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
            "never-loads", "never comes back from its entry, or from a constructor",
            answer: """
                Loading does not come back either, and no other plugin can be loaded. Destroying the \
                host answers `TIMED_OUT` and keeps its memory. With a constructor the system's \
                loader is held up as well: `exit` does not end the process then, `_exit` does.
                """,
            sees: "nothing; the thread that loads it",
            others: "Tasks of plugins that are loaded go on.",
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
