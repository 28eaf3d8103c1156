// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("A fault as it is printed")
struct DiagnosticTests {
    private func fault(
        in text: String, line: Int, column: Int, offset: Int, width: Int = 1, code: String? = nil,
        file: String = "a/manifest.json"
    ) -> Diagnostic {
        DiagnosticSource(file: file, bytes: Array(text.utf8)).diagnostic(
            at: JSONPosition(line: line, column: column, offset: offset), width: width, code: code,
            rule: "rule", message: "something is wrong", help: "write it right")
    }

    @Test("shows place, line, underline and help")
    func rendered() {
        let text = "{\n  \"a\": 1,\n  \"b\": \"é\", \"library\": \"x\"\n}"
        let fault = fault(in: text, line: 3, column: 23, offset: 35, width: 3)
        #expect(
            fault.rendered == """
                error: something is wrong
                  --> a/manifest.json:3:23
                   |
                 3 |   "b": "é", "library": "x"
                   |                       ^^^
                   = help: write it right
                """)
    }

    @Test("shows the code, and makes room for long line numbers")
    func code() {
        let text = String(repeating: "\n", count: 99) + "\tx\r\n"
        let fault = fault(in: text, line: 100, column: 2, offset: 100, code: "CF0312")
        #expect(
            fault.rendered == """
                error[CF0312]: something is wrong
                    --> a/manifest.json:100:2
                     |
                 100 |  x
                     |  ^
                     = help: write it right
                """)
    }

    @Test("shows a fault of the whole file without a line")
    func wholeFile() {
        let fault = DiagnosticSource(file: "m.json", bytes: []).diagnostic(
            rule: "rule", message: "the file is empty", help: "write something")
        #expect(
            fault.rendered == """
                error: the file is empty
                  --> m.json
                   = help: write something
                """)
    }

    @Test("never prints control characters or changes of the writing direction")
    func harmless() {
        let fault = fault(
            in: "\u{1B}[2J\u{202E}\u{85}x", line: 1, column: 1, offset: 0,
            file: "\u{1B}]0;owned\u{7}\nerror: fake")
        #expect(fault.rendered.split(separator: "\n").count == 6)
        #expect(
            fault.rendered.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || ($0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value))
                        && $0 != "\u{202E}"
            })
    }

    @Test("shows a part of a long line, with the underline at the right character")
    func longLine() throws {
        let text = String(repeating: "é", count: 5000) + "X" + String(repeating: "ü", count: 5000)
        let fault = fault(in: text, line: 1, column: 5001, offset: 10_000, width: 9000)
        #expect(fault.sourceLine.unicodeScalars.count == 120)
        let lines = fault.rendered.split(separator: "\n").map { Array($0.unicodeScalars) }
        let caret = try #require(lines[4].firstIndex(of: "^"))
        #expect(lines[3][caret] == "X")
        #expect(lines.allSatisfy { $0.count <= 130 })
        // A line that just fits is shown from its beginning.
        let short = self.fault(in: "  xé", line: 1, column: 3, offset: 2)
        #expect(short.sourceLine == "  xé")
        #expect(short.sourceLineColumn == 1)
    }

    @Test("points behind the last character where something is missing")
    func endOfFile() {
        let fault = JSONReaderTests.fault(Array("{\n  \"a\": 1\n".utf8))
        #expect(
            fault?.rendered == """
                error[CF0107]: the file ends where `,` or `}` should be
                  --> test.json:3:1
                   |
                 3 |\u{20}
                   | ^
                   = help: write the rest; the file may have been cut off
                """)
    }

    @Test("survives any position, even one outside of the text")
    func anyPosition() {
        for offset in [-5, 0, 3, 4, 5, 1000] {
            for column in [-1, 0, 1, 2, 500] {
                let fault = fault(in: "\u{E9}a\n", line: 1, column: column, offset: offset)
                #expect(fault.rendered.contains("-->"))
            }
        }
    }

    @Test("cuts quoted text")
    func quoting() {
        #expect(DiagnosticText.quoted("a\nb") == "`a\u{FFFD}b`")
        let long = String(repeating: "x", count: 65)
        #expect(DiagnosticText.quoted(long) == "`\(long.dropLast())…`")
        #expect(DiagnosticText.quoted(String(long.dropLast())) == "`\(long.dropLast())`")
    }
}
