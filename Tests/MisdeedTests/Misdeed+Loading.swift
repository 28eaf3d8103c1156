// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

extension Misdeed {
    private static let succeeded = MisdeedRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What can be wrong with a plugin before it has a task.
    static let loading = [
        Misdeed(
            "wrong-note", "was built for another ABI",
            answer: "`ABI_MISMATCH`, before any of its code runs.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_ABI_MISMATCH, never: ["ran"],
                rules: [.loading("load-abi", "was built for ABI")])),
        Misdeed(
            "no-note", "does not say for which ABI it was built",
            answer: "`REFUSED`, before any of its code runs.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED, never: ["ran"],
                rules: [.loading("load-note", "has no Curfew note")])),
        Misdeed(
            "missing-entry", "is a library without an entry",
            answer: "`REFUSED`.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-symbol", "exports no curfew_plugin_entry")])),
        Misdeed(
            "unresolved-symbol", "calls a function that no library has",
            answer: "`REFUSED` when it is loaded, not when a task gets there.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-link", "undefined symbol: nowhere_to_be_found")])),
        Misdeed(
            "entry-fails", "registers its handler, and then does not want to be loaded",
            answer: "`FAILED` with its own words. Nothing of it is registered.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_FAILED,
                rules: [.loading("load-entry", "failed: the licence has run out")])),
        Misdeed(
            "registers-nothing", "says that all went well, and has registered no handler",
            answer: "`REFUSED`: the manifest promises one.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.loading("load-unregistered", "did not register it")])),
        Misdeed(
            "registers-undeclared",
            """
            registers more than its manifest declares, and passes the answer on, or keeps it to \
            itself and goes on
            """,
            answer: "`DENIED`, and the plugin is refused either way: manifest and library differ.",
            undeclared("insists"), undeclared("goes on")),
        Misdeed(
            "registers-anothers", "registers its function under another plugin's identifier",
            answer: "`DENIED`, and the plugin is refused. The other one keeps its handler.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                notes: ["register": [CURFEW_DENIED, CURFEW_EXISTS]],
                rules: [
                    .rule("taken-handler", "\"org.curfew.test.good\""),
                    .loading("load-undeclared", "\"org.curfew.test.good\""),
                ])),
        Misdeed(
            "claims-anothers", "claims another plugin's identifier in its manifest",
            answer: "`EXISTS`, before any of its code runs. The first one stays.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_EXISTS, never: ["ran"],
                rules: [.loading("load-taken", "is taken by plugin \"org.curfew.test.good\"")])),
        Misdeed(
            "registers-late", "registers a handler in the middle of a task",
            answer: "`WRONG_STATE`. Nothing is registered.",
            MisdeedRun(
                script: Script.whole, notes: ["register": [CURFEW_WRONG_STATE]],
                over: [succeeded],
                rules: [.rule("late-registration", "called register_handler")])),
        Misdeed(
            "never-loads", "never comes back from its entry, or from a constructor",
            answer: """
                Loading does not come back either, and no other plugin can be loaded. Destroying the \
                host answers `TIMED_OUT` and keeps its memory. With a constructor the system's \
                loader is held up as well: `exit` does not end the process then, `_exit` does.
                """,
            sees: "nothing; the thread that loads it",
            others: "Tasks of plugins that are loaded go on.",
            MisdeedRun(
                form: "entry",
                script: [
                    "load good", "load-aside misdeed", "await begun", Script.others, "destroy 300",
                    "leave",
                ], load: nil, destroy: CURFEW_TIMED_OUT),
            MisdeedRun(
                form: "constructor",
                script: [
                    "load good", "load-aside misdeed", "await begun", Script.others, "destroy 300",
                    "leave",
                ], load: nil, destroy: CURFEW_TIMED_OUT)),
    ]

    private static func undeclared(_ form: String) -> MisdeedRun {
        MisdeedRun(
            form: form, script: Script.refused, load: CURFEW_REFUSED,
            notes: ["register": [CURFEW_DENIED]],
            rules: [
                .rule("undeclared-handler", "called register_handler"),
                .loading("load-undeclared", "\"org.curfew.misdeed.undeclared\""),
            ])
    }
}
