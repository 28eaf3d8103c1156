// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Testing

extension Violation {
    private static let succeeded = ViolationRun.End(outcome: CURFEW_OUTCOME_SUCCEEDED, text: "")
    private static let repaired = "\u{FFFD}\u{FFFD}(\u{FFFD}\u{FFFD}\u{FFFD}\u{1B}[31m\n\u{7}"

    /// What is passed where text and structures are due.
    static let text = [
        Violation(
            "bad-utf8", "passes bytes that are not UTF-8, and control characters, as text",
            answer: """
                Free text is repaired with U+FFFD and accepted, and control characters are made visible \
                in the log. A malformed name is `INVALID`.
                """,
            ViolationRun(
                script: Script.whole,
                notes: [
                    "register": [CURFEW_INVALID], "progress": [CURFEW_OK], "raise": [CURFEW_OK],
                    "raise of it": [CURFEW_INVALID], "complete": [CURFEW_OK],
                ],
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED, text: repaired)],
                rules: [
                    .rule("malformed-text", "reported progress"),
                    .rule("malformed-text", "wrote a log line"),
                    .rule("malformed-text", "raised \"violation_said:\""),
                    .rule("malformed-text", "called complete"),
                    .rule("event-name", "nothing was raised"),
                    .rule("handler-arguments", "called register_handler"),
                ],
                check: { report in
                    #expect(report.values(of: "violation_said:") == [repaired])
                    #expect(report.values(of: "violation_progress::") == ["0.5|" + repaired])
                    let said = "\u{FFFD}\u{FFFD}(\u{FFFD}\u{FFFD}\u{FFFD}\\u{1b}[31m\\n\\u{7}"
                    #expect(report.all("log").contains { $0.text == said })
                })),
        Violation(
            "null-text", "passes NULL as text, with a length above 0",
            answer: """
                An optional text counts as empty. A required one is `INVALID`, and a log line without \
                text is dropped.
                """,
            ViolationRun(
                script: Script.whole,
                notes: [
                    "register": [CURFEW_INVALID], "progress": [CURFEW_OK],
                    "raise": [CURFEW_INVALID], "raise of NULL": [CURFEW_INVALID],
                    "raise without values": [CURFEW_INVALID], "extension": [0],
                    "complete": [CURFEW_OK],
                ],
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED)],
                rules: [
                    .rule("malformed-text", "reported progress"),
                    .rule("malformed-text", "wrote a log line"),
                    .rule("malformed-text", "called complete"),
                    .rule("event-types", "is a text that is NULL"),
                    .rule("event-types", "the parameters are NULL"),
                    .rule("event-name", "the name is NULL"),
                    .rule("handler-arguments", "called register_handler"),
                ],
                check: { #expect($0.values(of: "violation_progress::") == ["0.5|"]) })),
        Violation(
            "huge-text", "passes 10 MB as text",
            answer: """
                The first 1 KiB of a progress are kept, 4 KiB of a log line, 64 KiB of an event's \
                parameter and of an error; a name of that length is `INVALID`, a result `TOO_LARGE`.
                """,
            ViolationRun(
                script: Script.whole,
                notes: [
                    "register": [CURFEW_INVALID], "progress": [CURFEW_OK], "raise": [CURFEW_OK],
                    "raise of it": [CURFEW_INVALID], "complete with it": [CURFEW_TOO_LARGE],
                    "complete": [CURFEW_OK],
                ],
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED)],
                rules: [
                    .rule("long-text", "10000000 bytes"), .rule("event-name", "nothing was raised"),
                    .rule("handler-arguments", "called register_handler"),
                    .rule("result-size", "10000000 bytes"),
                ],
                check: { report in
                    func bytes(_ selector: String) -> [Int?] {
                        report.all("event").filter { $0.selector == selector }.map(\.bytes)
                    }
                    #expect(bytes("violation_progress::") == [1_024])
                    #expect(bytes("violation_said:") == [65_536])
                    #expect(report.all("over").map(\.bytes) == [65_536])
                    #expect(report.all("log").contains { $0.bytes == 4_096 })
                    #expect(report.all("log").allSatisfy { $0.bytes ?? 0 <= 4_096 })
                })),
        Violation(
            "unterminated-error",
            "fills the host's buffer for errors to its last byte, when it is loaded or in a task",
            answer: "The text in the buffer is used; nothing is read beyond it.",
            ViolationRun(
                form: "run", script: Script.whole,
                over: [ViolationRun.End(outcome: CURFEW_OUTCOME_FAILED)],
                rules: [.rule("malformed-text", "has no NUL at its end")],
                check: { #expect($0.all("over").map(\.bytes) == [1_016]) }),
            ViolationRun(
                form: "entry", script: Script.refused, load: CURFEW_FAILED,
                rules: [.loading("load-entry", "failed: xxxxx")])),
        Violation(
            "bigger-struct",
            "passes structures of a newer version of the headers, and of an older one",
            answer: """
                The host uses the members that it knows, and touches no others. That breaks no rule.
                """,
            sees: "(its plugin registers no function once, on purpose)",
            ViolationRun(
                script: Script.whole,
                notes: [
                    "refused": [CURFEW_INVALID], "its guard": [1], "its text": [7],
                    "task_info of the future": [CURFEW_OK], "task_info of the past": [CURFEW_OK],
                    "raise": [CURFEW_OK],
                ],
                over: [succeeded], rules: [.rule("handler-arguments", "is NULL")],
                check: { #expect($0.values(of: "violation_said::") == ["41|42"]) })),
        Violation(
            "impossible-struct", "passes structures with sizes that no version of them can have",
            answer: "`INVALID`, and nothing is read or written.",
            ViolationRun(
                script: Script.whole,
                notes: [
                    "register of 0": [CURFEW_INVALID], "register of 3": [CURFEW_INVALID],
                    "register of 4 GiB": [CURFEW_INVALID], "task_info of 0": [CURFEW_INVALID],
                    "task_info of 5": [CURFEW_INVALID], "raise": [CURFEW_INVALID],
                ],
                over: [succeeded],
                rules: [
                    .rule("struct-size", "called register_handler"),
                    .rule("struct-size", "called task_info"), .rule("struct-size", "raise"),
                ],
                check: { #expect($0.values(of: "violation_said:").isEmpty) })),
    ]
}
