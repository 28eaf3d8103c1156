// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The lines beside the tests that show them: what is wrong with the two, and the page of both.
struct SourceLinePage {
    static let path = BuiltProducts.packageRoot + "/Documentation/source-documents.md"

    let list: SourceLineList
    private let tests: [NamedTest]
    private let byLine: [String: [NamedTest]]

    init(_ list: SourceLineList, _ tests: [NamedTest]) {
        self.list = list
        self.tests = tests
        byLine = Dictionary(
            tests.flatMap { test in test.numbers.map { ($0, [test]) } }, uniquingKeysWith: +)
    }

    static func inRepository() throws -> SourceLinePage {
        SourceLinePage(try SourceLineList.inRepository(), try NamedTest.inRepository())
    }

    /// The lines that are marked as open, and have no test.
    var open: [String] {
        list.lines.filter { $0.mark == .open && byLine[$0.number] == nil }.map(\.number)
    }

    /// One sentence for each thing that is wrong.
    var faults: [String] {
        let known = Set(list.lines.map(\.number))
        let unknown = tests.flatMap { test in
            test.numbers.filter { !known.contains($0) }.map {
                "\(test.file): a test names \($0), which is not in lines.txt: \(test.sentence)"
            }
        }
        return unknown + list.lines.compactMap(fault)
    }

    private func fault(_ line: SourceLine) -> String? {
        let tests = byLine[line.number] ?? []
        switch line.mark {
        case .tested where tests.isEmpty:
            return "\(line.number) has neither a test nor a reason why it cannot apply:"
                + " \(line.statement)"
        case .cannotApply where !tests.isEmpty:
            return "\(line.number) cannot apply, as lines.txt has it, and \(tests[0].file) tests it"
        default:
            return nil
        }
    }

    // MARK: The page

    /// All of it.
    var text: String {
        var text = """
            # Requirements traceability

            Curfew does on Linux what five documents describe for iOS. Each line here is one requirement of
            these documents, with the tests of it, or with the reason why it cannot apply, and the alternative.
            `Tests/SourceLineTests` writes this page, and fails if a line has neither.

            """
        for document in list.documents {
            let lines = list.lines.filter { $0.document == document.name }
            text += "\n## \(document.name): \(document.title)\n\n| line | requirement | tests |\n"
            text += "|---|---|---|\n"
            for line in lines {
                text += "| \(line.number) | \(cell(line.statement)) | \(shown(line)) |\n"
            }
        }
        return text
    }

    private func shown(_ line: SourceLine) -> String {
        if case .cannotApply(let reason) = line.mark { return cell("cannot apply: \(reason)") }
        let tests = byLine[line.number] ?? []
        guard !tests.isEmpty else { return line.mark == .open ? "not yet" : "" }
        return tests.map { test in
            let suite = test.file.components(separatedBy: "/").last ?? test.file
            return "`\(suite.dropLast(".swift".count))`: \(cell(test.sentence))"
        }.joined(separator: "<br>")
    }

    /// A text as it may stand in a cell.
    private func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("_", with: "\\_")
            .replacing("*", with: "\\*")
    }

    /// Writes the page, where CURFEW_UPDATE_TABLE=1 asks for it.
    func updateIfAsked() throws {
        guard ProcessInfo.processInfo.environment["CURFEW_UPDATE_TABLE"] == "1" else { return }
        try text.write(toFile: Self.path, atomically: true, encoding: .utf8)
    }
}
