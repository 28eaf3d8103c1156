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
            [violations](violations), and the consequences in isolation `thread`, where plugins run \
            inside the host's process. Every row is tested: a harness loads the plugin beside a \
            well-behaved one, in a process of its own, and launches the other plugin's tasks while \
            the violation lasts. Unless the row says otherwise they all succeed.

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
        var seen: [String] = []
        for line in violation.runs.flatMap(\.rules).map(\.text) where !seen.contains(line) {
            seen.append(line)
        }
        if !violation.sees.isEmpty { seen.append(violation.sees) }
        let others = violation.others.map { " **Others\u{2019} tasks:** \($0)" } ?? ""
        let cells = [
            "[`\(violation.name)`](violations/\(violation.name)) \(violation.does)",
            violation.answer + others, seen.isEmpty ? "nothing" : seen.joined(separator: "<br>"),
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    /// Replaces the file, where CURFEW_UPDATE_MISDEEDS=1 asks for it.
    static func updateIfAsked() throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_MISDEEDS"] == "1" else { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
