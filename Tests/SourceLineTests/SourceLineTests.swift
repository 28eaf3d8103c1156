// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Whatever the source documents say is shown by a test, or told to be impossible.
@Suite("The lines of the source documents")
struct SourceLineTests {
    @Test("are each shown by a test, or have a reason why they cannot apply")
    func covered() throws {
        let page = try SourceLinePage.inRepository()
        for fault in page.faults { Issue.record("\(fault)") }
        let open = page.open
        if !open.isEmpty {
            print("lines.txt: \(open.count) open: \(open.joined(separator: ", "))")
        }
    }

    @Test("are all there, in their order, once")
    func complete() throws {
        let list = try SourceLineList.inRepository()
        let counts = [("S0", 40), ("S1", 35), ("S2", 14), ("S3", 10), ("S4", 14)]
        #expect(list.documents.map(\.name) == counts.map(\.0))
        let numbers = counts.flatMap { document, count in
            (1...count).map { "\(document).\($0)" }
        }
        #expect(list.lines.map(\.number) == numbers)
    }

    @Test("are those of the page in the documentation")
    func documented() throws {
        let page = try SourceLinePage.inRepository()
        try page.updateIfAsked()
        let found = try String(contentsOfFile: SourceLinePage.path, encoding: .utf8)
        let isCurrent = found == page.text
        #expect(
            isCurrent,
            """
            Documentation/source-documents.md is not what the lines and the tests say; write it \
            again and commit it: CURFEW_UPDATE_TABLE=1 swift test --filter SourceLineTests
            """)
    }

    private func page(_ marks: String...) throws -> SourceLinePage {
        let rows = marks.enumerated().map { "S2.\($0.offset + 1) | Something. | \($0.element)" }
        let test = try NamedTest.all(
            in: "    @Test(\n        \"S2.1: it is so\")", file: "Tests/A/B.swift")
        return SourceLinePage(
            try SourceLineList(text: "document S2 | a text\n" + rows.joined(separator: "\n")), test)
    }

    @Test("A line without test and reason is found")
    func untested() throws {
        #expect(
            try page("-", "-").faults == [
                "S2.2 has neither a test nor a reason why it cannot apply: Something."
            ])
        #expect(try page("-", "there is none here: do without").faults == [])
    }

    @Test("A test that names no line is found")
    func unknown() throws {
        let list = try SourceLineList(text: "document S2 | a text")
        let tests = try NamedTest.all(in: #"@Test("S2.15: it is so")"#, file: "Tests/A/B.swift")
        #expect(
            SourceLinePage(list, tests).faults == [
                "Tests/A/B.swift: a test names S2.15, which is not in lines.txt: it is so"
            ])
    }

    @Test("A reason beside a test is found")
    func both() throws {
        #expect(
            try page("there is none here: do without").faults == [
                "S2.1 cannot apply, as lines.txt has it, and Tests/A/B.swift tests it"
            ])
    }

    @Test("An open line is counted until it has a test")
    func open() throws {
        let page = try page("open", "open")
        #expect(page.faults == [])
        #expect(page.open == ["S2.2"])
    }

    @Test("The page has each line with its tests, its reason, or neither")
    func written() throws {
        let text = try page("-", "no *_such* thing", "open").text
        #expect(text.contains("\n## S2: a text\n"))
        #expect(text.contains("\n| S2.1 | Something. | `B`: it is so |\n"))
        #expect(text.contains("\n| S2.2 | Something. | cannot apply: no \\*\\_such\\* thing |\n"))
        #expect(text.contains("\n| S2.3 | Something. | not yet |\n"))
    }

    @Test(
        "A name begins with one line, several, or a range of them",
        arguments: [
            ("S0.5: …", ["S0.5"]), ("S0.5, S1.19: …", ["S0.5", "S1.19"]),
            ("S0.28–S0.30, S4.2: …", ["S0.28", "S0.29", "S0.30", "S4.2"]), ("S0: …", []),
            ("it is S0.5: …", []),
        ])
    func names(name: String, numbers: [String]) throws {
        let tests = try NamedTest.all(in: "@Test(\"\(name)\")", file: "a.swift")
        #expect(tests.flatMap(\.numbers) == numbers)
    }

    @Test(
        "A name that begins like one and is none, is an error",
        arguments: ["S0.5 and S0.6: …", "S0.5–S0.4: …", "S0.5–S1.7: …", "S9.1: …", "S0.05: …"])
    func wrongNames(name: String) {
        #expect(throws: SourceLineFault.self) {
            try NamedTest.all(in: "@Test(\"\(name)\")", file: "a.swift")
        }
    }

    @Test(
        "A row that is none is an error, with its number",
        arguments: ["S2.1 | Something.", "S2.1 | Something. | ", "S5.1 | Something. | -"])
    func wrongRows(row: String) {
        let error = #expect(throws: SourceLineFault.self) {
            try SourceLineList(text: "# lines\n\(row)")
        }
        #expect(error?.text.hasPrefix("lines.txt:2: ") == true)
    }
}
