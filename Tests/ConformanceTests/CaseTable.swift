// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import PluginBridge
import TestSupport

/// The table of cases in the documentation, written from the cases and their twins.
enum CaseTable {
    static let path = BuiltProducts.packageRoot + "/Documentation/proving-a-plugin.md"
    private static let beginning = "<!-- cases -->\n"
    private static let end = "<!-- end of cases -->\n"

    /// What a case cannot find, as the last sentence of its explanation says; nil if none does.
    static func blindness(of tested: ConformanceCase) -> String? {
        let text = tested.fault.explanation.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        guard let start = text.range(of: "The kit does not see ", options: .backwards),
            text.hasSuffix(".")
        else { return nil }
        return String(text[start.upperBound...].dropLast())
    }

    /// What stands between the marks.
    static func text() throws -> String {
        let twins = try Twin.all()
        var text = """
            For each case, a bad twin in Tests/Plugins/twins breaks this one rule and keeps all
            others, to prove that the case detects it.

            """
        for level in ConformanceCase.levels {
            text += "\n### Level \(level)\n\n"
            text += "| case | fails when | bad twins | does not see |\n|---|---|---|---|\n"
            for each in ConformanceCase.all.filter({ $0.level == level })
                .sorted(by: { $0.fault.number < $1.fault.number })
            {
                let wrong = twins.filter { $0.tested == each.name }.map(\.wrong)
                let cells = [
                    "`\(each.fault.code)` `\(each.name)`", each.fault.text,
                    wrong.joined(separator: "<br>"), blindness(of: each) ?? "",
                ]
                text += "| "
                text += cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
                text += " |\n"
            }
        }
        return text
    }

    /// The whole page with the table in it; nil where it has no place for one.
    static func page(_ page: String) throws -> String? {
        guard let first = page.range(of: beginning), let last = page.range(of: end),
            first.upperBound <= last.lowerBound
        else { return nil }
        return page[..<first.upperBound] + "\n" + (try text()) + "\n" + page[last.lowerBound...]
    }

    /// Replaces it, where CURFEW_UPDATE_TABLE=1 asks for it.
    static func updateIfAsked() throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_TABLE"] == "1" else { return }
        let old = try String(contentsOfFile: path, encoding: .utf8)
        try page(old)?.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
