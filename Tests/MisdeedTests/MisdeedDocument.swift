// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Tests/Plugins/README.md: the table of misdeeds, written from the values that are tested.
enum MisdeedDocument {
    static let path = BuiltProducts.packageRoot + "/Tests/Plugins/README.md"
    static let mark = "<!-- Written by the tests; see the end of this file. -->"

    /// The whole file.
    static var text: String {
        var text = """
            # Plugins for tests

            \(mark)

            What a plugin can do wrong, each in a directory of [misdeeds](misdeeds), and what comes \
            of it in isolation `thread`, where plugins run inside the host's process. Everything in \
            the table is tested: a harness loads the plugin beside a well-behaved one, in a process \
            of its own, and the other plugin's tasks are launched while the misdeed lasts. Where \
            nothing else is said they all go on and succeed.

            A line of the log begins with the code and the name of the rule, then names the handler \
            and the task; `curfew explain` has more about each rule.


            """
        for (title, misdeeds) in Misdeed.groups {
            text += "## \(title)\n\n"
            text += "| misdeed | the host's answer | the author sees |\n|---|---|---|\n"
            for misdeed in misdeeds { text += row(misdeed) + "\n" }
            text += "\n"
        }
        return text + """
            ---
            The table is written from Tests/MisdeedTests. After a change there:

                CURFEW_UPDATE_MISDEEDS=1 swift test --filter MisdeedTests

            """
    }

    private static func row(_ misdeed: Misdeed) -> String {
        var seen: [String] = []
        for line in misdeed.runs.flatMap(\.rules).map(\.text) where !seen.contains(line) {
            seen.append(line)
        }
        if !misdeed.sees.isEmpty { seen.append(misdeed.sees) }
        let others = misdeed.others.map { " **Others\u{2019} tasks:** \($0)" } ?? ""
        let cells = [
            "[`\(misdeed.name)`](misdeeds/\(misdeed.name)) \(misdeed.does)",
            misdeed.answer + others, seen.isEmpty ? "nothing" : seen.joined(separator: "<br>"),
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    /// Replaces the file, where CURFEW_UPDATE_MISDEEDS=1 asks for it.
    static func updateIfAsked() throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_MISDEEDS"] == "1" else { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
