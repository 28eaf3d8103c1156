// SPDX-License-Identifier: Apache-2.0
import Testing

/// Unchanged code finds Apple's names with Apple's types, and nobody else's among them.
@Suite("The modules with Apple's names")
struct SurfaceTests {
    /// Those that are built. A name more, and its tables count.
    private static let modules = [
        "BackgroundTasks", "FoundationBackground", "UIKitBackground",
    ]

    @Test("have all that Apple's have, with the same types, and nothing that is not told of")
    func surface() throws {
        let apple = try SurfaceTable("apple-surface.txt")
        let ours = try SurfaceTable("ours.txt")
        for module in Self.modules {
            #expect(apple[module].count > 5, "\(module) has no table")
            let comparison = SurfaceComparison(
                module: module, apple: apple[module].map(\.member),
                ours: ours[module].map(\.member), built: try SymbolGraph.members(of: module))
            #expect(comparison.built.count > 5)
            for difference in comparison.differences { Issue.record("\(difference)") }
        }
    }

    @Test("What is ours in them has a reason")
    func reasons() throws {
        let ours = try SurfaceTable("ours.txt")
        for module in Self.modules {
            for row in ours[module] {
                #expect(row.reason.count > 10, "ours.txt does not say why: \(row.member.line)")
            }
        }
    }

    private static let table = [
        "class Task: NSObject", "func Task.run(_: String, using: Queue?) throws -> Bool",
        "var Task.name: String { get }", "static var Task.shared: Task { get }",
        "init Task(name: String)",
    ]
    private static let built: [(String, [String], Set<String>)] = [
        ("class Task", ["Task"], ["NSObject", "Sendable"]),
        (
            "@discardableResult @MainActor func run(_ text: String, using other: Queue?) throws -> Bool",
            ["Task", "run(_:using:)"], []
        ),
        ("let name: String", ["Task", "name"], []),
        ("class var shared: Task { get }", ["Task", "shared"], []),
        ("override init(name: String)", ["Task", "init(name:)"], []),
    ]

    private func compare(
        _ built: [(String, [String], Set<String>)], ours: [String] = []
    ) throws -> [String] {
        try SurfaceComparison(
            module: "M", apple: Self.table.map { try SurfaceMember(line: $0) },
            ours: ours.map { try SurfaceMember(line: $0) },
            built: built.map {
                try SurfaceMember(declaration: $0.0, path: $0.1, inherited: $0.2)
            }
        ).differences
    }

    @Test("Attributes, inner names, and how a value is kept make no difference")
    func equal() throws {
        #expect(try compare(Self.built) == [])
    }

    @Test("What is missing is named", arguments: 0..<5)
    func missing(index: Int) throws {
        var built = Self.built
        built.remove(at: index)
        #expect(try compare(built) == ["M lacks \(Self.table[index])"])
    }

    @Test(
        "What has another type is named, with what was found",
        arguments: [
            (0, "class Task", "class Task"),
            (
                1, "func run(_ text: String, using other: Queue) throws -> Bool",
                "func Task.run(_: String, using: Queue) throws -> Bool"
            ),
            (2, "var name: String", "var Task.name: String { get set }"),
            (3, "var shared: Task { get }", "var Task.shared: Task { get }"),
            (4, "init?(name: String)", "init? Task(name: String)"),
        ])
    func different(index: Int, declaration: String, found: String) throws {
        var built = Self.built
        built[index].0 = declaration
        built[index].2 = []
        #expect(
            try compare(built) == ["M: Apple's is \(Self.table[index]), and here it is \(found)"])
    }

    @Test("What is not Apple's has to be in the list of ours, and what is in it has to be there")
    func foreign() throws {
        let built = Self.built + [("func hurry()", ["Task", "hurry()"], [])]
        #expect(
            try compare(built) == [
                "M has func Task.hurry(), which Apple's has not: ours.txt wants it, with a reason"
            ])
        #expect(try compare(built, ours: ["func Task.hurry()"]) == [])
        #expect(
            try compare(Self.built, ours: ["func Task.hurry()"]) == [
                "M has no func Task.hurry(), which is in ours.txt"
            ])
        #expect(
            try compare(Self.built, ours: ["init Task(name: String)"]) == [
                "init Task(name: String) is Apple's, and in ours.txt"
            ])
    }
}
