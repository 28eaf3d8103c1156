// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Testing

extension Misdeed {
    private static let succeeded = MisdeedRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")

    /// What can be wrong with a plugin before it has a task.
    static let loading = [
        Misdeed(
            "wrong-note", "was built for another ABI",
            answer: "`ABI_MISMATCH`, before any of its code runs.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_ABI_MISMATCH, never: ["ran"],
                rules: [.refusal("was built for ABI")])),
        Misdeed(
            "no-note", "does not say for which ABI it was built",
            answer: "`REFUSED`, before any of its code runs.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED, never: ["ran"],
                rules: [.refusal("has no Curfew note")])),
        Misdeed(
            "missing-entry", "is a library without an entry",
            answer: "`REFUSED`.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.refusal("exports no curfew_plugin_entry")])),
        Misdeed(
            "unresolved-symbol", "calls a function that no library has",
            answer: "`REFUSED` when it is loaded, not when a task gets there.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.refusal("undefined symbol: nowhere_to_be_found")])),
        Misdeed(
            "entry-fails", "registers its handler, and then does not want to be loaded",
            answer: "`FAILED` with its own words. Nothing of it is registered.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_FAILED,
                rules: [.refusal("said no: the licence has run out")])),
        Misdeed(
            "registers-nothing", "says that all went well, and has registered no handler",
            answer: "`REFUSED`: the manifest promises one.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                rules: [.refusal("did not register it")])),
        Misdeed(
            "registers-undeclared", "registers more than its manifest declares",
            answer: "`DENIED`, and the plugin is `REFUSED`, whether its entry passes that on or not.",
            MisdeedRun(
                form: "insists", script: Script.refused, load: CURFEW_REFUSED,
                notes: ["register": [CURFEW_DENIED]],
                rules: [
                    .rule("undeclared-handler", "called register_handler"),
                    .refusal("registered \"org.curfew.misdeed.undeclared\", which its manifest"),
                ]),
            MisdeedRun(
                form: "goes on", script: Script.refused, load: CURFEW_REFUSED,
                notes: ["register": [CURFEW_DENIED]],
                rules: [
                    .rule("undeclared-handler", "called register_handler"),
                    .refusal("registered \"org.curfew.misdeed.undeclared\", which its manifest"),
                ])),
        Misdeed(
            "registers-anothers", "registers its function under another plugin's identifier",
            answer: "`DENIED`, and the plugin is `REFUSED`. The other plugin keeps its handler.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_REFUSED,
                notes: ["register": [CURFEW_DENIED, CURFEW_EXISTS]],
                rules: [
                    .rule("taken-handler", "\"org.curfew.test.good\""),
                    .refusal("\"org.curfew.test.good\""),
                ])),
        Misdeed(
            "claims-anothers", "claims another plugin's identifier in its manifest",
            answer: "`EXISTS`, before any of its code runs. The first one stays.",
            MisdeedRun(
                script: Script.refused, load: CURFEW_EXISTS, never: ["ran"],
                rules: [.refusal("is taken by plugin \"org.curfew.test.good\"")])),
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
                Loading does not come back either, and no other plugin can be loaded. With a \
                constructor the system's loader is held up as well: `exit` does not end the process \
                then, `_exit` does.
                """,
            sees: "nothing; the thread that loads it",
            others: "Tasks of plugins that are loaded go on.",
            MisdeedRun(
                form: "entry",
                script: [
                    "load good", "load-aside misdeed", "await begun", Script.others, "leave",
                ], load: nil, destroy: nil),
            MisdeedRun(
                form: "constructor",
                script: [
                    "load good", "load-aside misdeed", "await begun", Script.others, "leave",
                ], load: nil, destroy: nil)),
    ]
}
