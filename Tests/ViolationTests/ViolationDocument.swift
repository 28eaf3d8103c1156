// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Tests/Plugins/README.md: the table of violations, written from the values that are tested.
enum ViolationDocument {
    static let path = BuiltProducts.packageRoot + "/Tests/Plugins/README.md"
    static let mark = "<!-- Written by the tests; see the end of this file. -->"

    /// The whole file.
    static var text: String {
        var text = """
            # Plugins for tests

            \(mark)

            The table lists what a plugin can do wrong, each in a directory of \
            [violations](violations), and the consequences: in isolation `thread`, where plugins run \
            inside the host's process, and in isolation `process`, where they differ. Every row is \
            tested in both: a harness loads the plugin beside a well-behaved one and launches the \
            other plugin's tasks while the violation lasts. Unless the row says otherwise they all \
            succeed. With isolation `process` they do in every row; the host's process goes on with \
            its limits, its signals and its directory as they were, and once the host is destroyed no \
            thread, no descriptor and no process of it is left. Those of the last table are tried in a \
            process only: in a thread they end the host, or reach whatever it can reach.

            A line of the log begins with the code and the name of the rule, then names the handler \
            and the task; `curfew explain` has more about each rule.


            """
        for (title, violations) in Violation.groups {
            text += "## \(title)\n\n"
            text += "| violation | the host's answer | the author sees |\n|---|---|---|\n"
            for violation in violations { text += row(violation) + "\n" }
            text += "\n"
        }
        return text + """
            ---
            The table is written from Tests/ViolationTests. After a change there:

                CURFEW_UPDATE_MISDEEDS=1 swift test --filter ViolationTests

            """
    }

    private static func row(_ violation: Violation) -> String {
        let others = violation.others.map { " **Others\u{2019} tasks:** \($0)" } ?? ""
        var answer = violation.answer + others
        var seen = sees(violation.runs, violation.sees)
        switch violation.inProcess {
        case .same: break
        case .other(let other, let sees, let runs):
            answer += "<br>**In a process:** \(other)"
            let other = Self.sees(runs, sees)
            if other != seen { seen += "<br>**In a process:** \(other)" }
        case .impossible(let reason): answer += "<br>**In a process:** \(reason)"
        }
        let cells = [
            "[`\(violation.name)`](violations/\(violation.name)) \(violation.does)", answer, seen,
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    /// The lines of the log in these runs, and what else the author sees.
    private static func sees(_ runs: [ViolationRun], _ besides: String) -> String {
        var seen: [String] = []
        for line in runs.flatMap(\.rules).map(\.text) where !seen.contains(line) {
            seen.append(line)
        }
        if !besides.isEmpty { seen.append(besides) }
        return seen.isEmpty ? "nothing" : seen.joined(separator: "<br>")
    }

    /// Replaces the file, where CURFEW_UPDATE_MISDEEDS=1 asks for it.
    static func updateIfAsked() throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_MISDEEDS"] == "1" else { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
