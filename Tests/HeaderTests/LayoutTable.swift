// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The layout that was agreed on: `layout.txt` beside the tests.
enum LayoutTable {
    private static let path = BuiltProducts.packageRoot + "/Tests/HeaderTests/layout.txt"
    private static let title = "# struct size member offset size, on 64-bit Linux\n"

    /// Its rows, in the form of ``Headers/layout(compiler:)``.
    static func rows() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map(String.init)
    }

    /// Replaces the table, where CURFEW_UPDATE_LAYOUT=1 asks for it.
    static func updateIfAsked(_ rows: [String]) throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_LAYOUT"] == "1" else { return }
        try (title + rows.map { $0 + "\n" }.joined())
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// What changed, as lines that begin with - or +, and what to do; "" when nothing did.
    static func changes(from old: [String], to new: [String]) -> String {
        let changes = new.difference(from: old)
        guard !changes.isEmpty else { return "" }
        let lines = changes.map { change in
            switch change {
            case .remove(_, let row, _): "- \(row)"
            case .insert(_, let row, _): "+ \(row)"
            }
        }
        return """
            The ABI changed:
            \(lines.joined(separator: "\n"))
            If that is meant, regenerate Tests/HeaderTests/layout.txt and commit it:
            CURFEW_UPDATE_LAYOUT=1 swift test --filter HeaderTests
            """
    }
}
