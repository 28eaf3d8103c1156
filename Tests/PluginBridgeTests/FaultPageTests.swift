// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("The pages of error codes")
struct FaultPageTests {
    private static let directory = BuiltProducts.packageRoot + "/Documentation/codes"
    private static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: directory))?
        .filter { $0.hasSuffix(".md") }.sorted() ?? []

    @Test("a page is read")
    func reads() throws {
        let page = try FaultPage(
            Array(
                """
                # Some things
                A preface.

                ## CF0001 one
                **first**

                Because of
                this.

                Status: [`CURFEW_BUSY`](status-codes.md#cf0009-busy)

                ## CF0002 two-of
                **second**
                That.
                """.utf8))
        #expect(page.title == "Some things")
        #expect(
            page.faults == [
                Fault(1, "one", "first", "Because of this.", answer: .busy),
                Fault(2, "two-of", "second", "That."),
            ])
    }

    @Test(
        "a page without the form is refused at its line",
        arguments: [
            ("", 1, "there is no title"),
            ("# A\n", 2, "there is no fault"),
            ("# A\n# B\n", 2, "there is a title before this one"),
            ("# A\n## CF0001\n", 2, "the heading is not a code and a name"),
            ("# A\n## CF1 one\n", 2, "the heading is not a code and a name"),
            ("# A\n## 000001 one\n", 2, "the heading is not a code and a name"),
            ("# A\n## CF0001 one\n**t**\n", 2, "the fault has no text or no explanation"),
            ("# A\n## CF0001 one\nWhy.\n", 2, "the fault has no text or no explanation"),
            (
                "# A\n## CF0001 one\n**t**\n## CF0002 two\n**t**\nWhy.\n", 2,
                "the fault has no text or no explanation"
            ),
            ("# A\n## CF0001 one\n**t\n", 3, "one line in bold stands before the explanation"),
            (
                "# A\n## CF0001 one\nW.\n**t**\n", 4,
                "one line in bold stands before the explanation"
            ),
            ("# A\n## CF0001 one\n**t**\nStatus: `NO`\n", 4, "no status is called `NO`"),
            ("# A\n## CF0001 one\n**t**\nStatus: CURFEW_BUSY\n", 4, "no status is called ``"),
            (
                "# A\n## CF0001 one\n**t**\nW.\nStatus: `CURFEW_OK`\nW.\n", 6,
                "the status is not the last line"
            ),
        ])
    func refuses(text: String, line: Int, reason: String) {
        #expect(throws: FaultPageError(line: line, reason: reason)) {
            try FaultPage(Array(text.utf8))
        }
    }

    @Test("the files of Documentation/codes are those that are embedded", arguments: files)
    func embedded(file: String) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(Self.directory)/\(file)"))
        let page = try FaultPage(text)
        #expect(FaultPage.all.count == Self.files.count)
        let same = try #require(FaultPage.all.first { $0.title == page.title })
        #expect(same.faults == page.faults, "the command is older than the page: build it again")
    }

    @Test("a status leads to its section, and plain lines stay plain in Markdown", arguments: files)
    func form(file: String) throws {
        let text = try String(contentsOfFile: "\(Self.directory)/\(file)", encoding: .utf8)
        for line in text.split(separator: "\n") {
            #expect(line.count <= 120, "\(line)")
            #expect(!line.contains(/^(\d+[.)]|[-+*>|]|```|###| )( |$)/), "\(line)")
            guard line.hasPrefix("Status: "), file != "status-codes.md" else { continue }
            let link = try #require(
                line.wholeMatch(of: /Status: \[`(\w+)`\]\(status-codes\.md#([a-z0-9-]+)\)/))
            let fault = try #require(Status(constant: String(link.1)).flatMap(Fault.of))
            #expect(link.2 == "\(fault.code.lowercased())-\(fault.name)")
        }
        let titles = text.matches(of: /(?m)^## (CF\d{4}) ([a-z0-9-]+)$/)
        #expect(titles.count == text.matches(of: #/(?m)^## /#).count)
        #expect(Set(titles.map(\.1)).count == titles.count)
    }
}
