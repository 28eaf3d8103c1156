// SPDX-License-Identifier: Apache-2.0
import Testing

/// Unchanged code finds Apple's names with Apple's types, and nobody else's among them.
@Suite("The modules with Apple's names")
struct SurfaceTests {
    /// Those that are built. A name more, and its tables count.
    private static let modules = [
        "BackgroundTasks", "FoundationBackground", "UIKitBackground", "SwiftUIBackground",
        "OSLogging",
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
        "class Task: Job, Sendable", "func Task.run(_: String, using: Queue?) throws -> Bool",
        "var Task.name: String { get }", "static var Task.shared: Task { get }",
        "init Task(name: String)", "optional func Delegate.ended(_: Task) -> Bool",
        "static func Delegate.main()",
    ]

    private static var built: [SurfaceMember] {
        get throws {
            [
                try SurfaceMember(
                    declaration: "class Task", path: ["Task"], superclass: "Job",
                    inherited: ["Sendable", "Hashable"]),
                try member(
                    "@discardableResult @MainActor func run(_ text: String, using other: Queue?) throws -> Bool",
                    in: "Task"),
                try member("let name: String", in: "Task"),
                try member("class var shared: Task { get }", in: "Task"),
                try member("override init(name: String)", in: "Task"),
                try SurfaceMember(
                    declaration: "@MainActor func ended(_ task: Task) -> Bool",
                    path: ["Delegate", "ended(_:)"], isOptional: true),
                try member("static func main()", in: "Delegate"),
            ]
        }
    }

    private static func member(_ declaration: String, in type: String) throws -> SurfaceMember {
        try SurfaceMember(declaration: declaration, path: [type, "member"])
    }

    private func compare(_ built: [SurfaceMember], ours: [String] = []) throws -> [String] {
        try SurfaceComparison(
            module: "M", apple: Self.table.map { try SurfaceMember(line: $0) },
            ours: ours.map { try SurfaceMember(line: $0) }, built: built
        ).differences
    }

    @Test("Attributes, inner names, and how a value is kept make no difference")
    func equal() throws {
        #expect(try compare(Self.built) == [])
    }

    @Test("What is missing is named", arguments: 0..<7)
    func missing(index: Int) throws {
        var built = try Self.built
        built.remove(at: index)
        let row = try SurfaceMember(line: Self.table[index])
        #expect(try compare(built) == ["M lacks \(row.line)"])
    }

    /// Reports the one member that differs, with what was found in its place.
    private func expect(_ member: SurfaceMember, at index: Int, isFoundAs found: String) throws {
        var built = try Self.built
        built[index] = member
        #expect(
            try compare(built) == ["M: Apple's is \(Self.table[index]), and here it is \(found)"])
    }

    @Test(
        "What has another type is named, with what was found",
        arguments: [
            (
                1, "func run(_ text: String, using other: Queue) throws -> Bool",
                "func Task.run(_: String, using: Queue) throws -> Bool"
            ),
            (2, "var name: String", "var Task.name: String { get set }"),
            (3, "var shared: Task { get }", "var Task.shared: Task { get }"),
            (4, "init?(name: String)", "init? Task(name: String)"),
        ])
    func different(index: Int, declaration: String, found: String) throws {
        try expect(Self.member(declaration, in: "Task"), at: index, isFoundAs: found)
    }

    @Test("A superclass counts: a class that derives from another one is named")
    func superclass() throws {
        let other = try SurfaceMember(
            declaration: "class Task", path: ["Task"], superclass: "NSObject",
            inherited: ["Job", "Sendable"])
        try expect(other, at: 0, isFoundAs: "class Task: NSObject, Job, Sendable")
        let root = try SurfaceMember(declaration: "class Task", path: ["Task"])
        try expect(root, at: 0, isFoundAs: "class Task")
    }

    @Test("An initializer that subclasses are required to have is named")
    func required() throws {
        try expect(
            Self.member("override required init(name: String)", in: "Task"), at: 4,
            isFoundAs: "required init Task(name: String)")
    }

    @Test("A protocol's method that cannot be left out is named")
    func optional() throws {
        let method = try SurfaceMember(
            declaration: "func ended(_ task: Task) -> Bool", path: ["Delegate", "ended(_:)"])
        try expect(method, at: 5, isFoundAs: "func Delegate.ended(_: Task) -> Bool")
    }

    @Test("A member that only some types have is named, with the condition")
    func conditional() throws {
        let main = try SurfaceMember(
            declaration: "static func main()", path: ["Delegate", "main()"],
            constraints: ["Self: Task"])
        try expect(main, at: 6, isFoundAs: "static func Delegate.main() where Self: Task")
    }

    @Test("What is not Apple's has to be in the list of ours, and what is in it has to be there")
    func foreign() throws {
        let built = try Self.built + [Self.member("func hurry()", in: "Task")]
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
