// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The layout of the structures")
struct LayoutTests {
    @Test("is the one that was agreed on")
    func agreed() throws {
        let rows = try Headers.own.layout()
        try LayoutTable.updateIfAsked(rows)
        let changes = LayoutTable.changes(from: try LayoutTable.rows(), to: rows)
        #expect(changes.isEmpty, Comment(rawValue: changes))
    }

    @Test("is the same for clang", .enabled(if: Tool.clang != nil, "the toolchain has no clang"))
    func clang() throws {
        let clang = try #require(Tool.clang)
        let expected = try Headers.own.layout()
        let layout = try Headers.own.layout(compiler: clang)
        #expect(layout == expected)
    }

    @Test("names every structure and every member")
    func complete() throws {
        // Counted by another way than the parser's: a member ends with a semicolon.
        let text = try Headers.own.preprocessedOwnText()
        let structures = text.matches(of: /struct (\w+) \{([^{}]*)\}/)
        let expected = structures.map { "\($0.1) \($0.2.count { $0 == ";" })" }

        let rows = try Headers.own.layout().map { $0.prefix { $0 != " " } }
        let counts = Dictionary(grouping: rows, by: \.self).map { "\($0.key) \($0.value.count)" }
        #expect(structures.count > 15)
        #expect(counts.sorted() == expected.sorted())
    }
}
