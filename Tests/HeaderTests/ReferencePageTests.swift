// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The reference is the headers: all of them, and nothing else.
@Suite("The pages of the headers")
struct ReferencePageTests {
    private static let made = Result { try ReferencePages(of: .own) }
    private let pages: ReferencePages

    init() throws {
        pages = try Self.made.get()
        try #require(pages.making.succeeded, "\(pages.making)")
    }

    @Test(
        "Every declaration, member, constant and macro has its place, and nothing else has",
        arguments: try Headers.own.names())
    func places(header: String) throws {
        let source = try Headers.own.source(of: header)
        let macros = source.matches(of: /(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)/)
            .map { String($0.1) }
        let passing = source.matches(of: /#undef (\w+)/).map { String($0.1) }
        var expected = Set(macros).subtracting(passing)
        if let guardName = source.firstMatch(of: /#ifndef (\w+_H)\n/)?.1 {
            expected.remove(String(guardName))
        }
        let structures = try structures()
        for declaration in try declarations(of: header) {
            expected.formUnion(declaration.constants)
            // A structure that is announced first has the place of its members.
            let isAnnounced =
                declaration.kind == .alias && structures.contains(declaration.name)
            if !declaration.name.isEmpty, !isAnnounced { expected.insert(declaration.name) }
            expected.formUnion(
                declaration.members.map { "\(declaration.name).\($0.name)" })
        }
        let places = ReferencePages.sections(of: try pages.page(ofHeader: header)).map(\.name)
        #expect(Set(places) == expected)
        #expect(places.count == Set(places).count)
    }

    @Test("Every comment is on its page", arguments: try Headers.own.names())
    func comments(header: String) throws {
        let page = ReferencePages.words(of: try pages.page(ofHeader: header))
        let source = try Headers.own.source(of: header).replacing(/#endif[^\n]*/, with: "")
        let comments = source.matches(of: /(?s)\/\*(.*?)\*\//)
            .map { String($0.1) }.filter { !$0.contains("SPDX-License-Identifier") }
        #expect(!comments.isEmpty)
        for comment in comments {
            #expect(page.contains(ReferencePages.words(in: comment)), "\(comment)")
        }
    }

    @Test(
        "The comment and the tag of a declaration stand where it does",
        arguments: try Headers.own.names())
    func sections(header: String) throws {
        let sections = Dictionary(
            ReferencePages.sections(of: try pages.page(ofHeader: header)),
            uniquingKeysWith: { first, _ in first })
        let lines = try Headers.own.source(of: header).components(separatedBy: "\n")
        let structures = try structures()
        for declaration in try declarations(of: header) where !declaration.name.isEmpty {
            if declaration.kind == .alias, structures.contains(declaration.name) { continue }
            let section = try #require(sections[declaration.name], "\(declaration.title)")
            let line = try #require(
                declaration.place.split(separator: ":").last.flatMap { Int($0) })
            let comment = comment(above: line, in: lines)
            #expect(
                comment.isEmpty || ReferencePages.words(of: section).contains(comment),
                "\(declaration.title)")
            #expect(!comment.isEmpty || !declaration.isCallable, "\(declaration.title)")
            for tag in declaration.tags where declaration.isCallable {
                #expect(section.contains("*Thread* ``\(tag.thread)``"), "\(declaration.title)")
                #expect(section.contains("*State* ``\(tag.state)``"), "\(declaration.title)")
            }
        }
    }

    @Test("Each status has its number, its code and its text")
    func statuses() throws {
        let page = ReferencePages.words(of: try pages.page(ofHeader: "curfew/types.h"))
        let rows = try Headers.own.source(of: "curfew/types.h")
            .matches(of: /X\((\w+), (\d+), "([^"]*)"\)/)
        #expect(rows.count > 20)
        for row in rows {
            let number = Int(row.2) ?? 0
            let code = number == 0 ? "" : "CF" + String(10_000 + number).dropFirst()
            #expect(
                page.contains(
                    ReferencePages.words(in: "CURFEW_\(row.1) \(number) \(row.3) \(code)")))
        }
    }

    @Test("What is new in a header is on its page, and what is gone is not")
    func changes() throws {
        let new = try ReferencePages(
            of: Headers.own.adding(
                "/* Waters the plants. Returns CURFEW_OK. */\n"
                    + "curfew_status curfew_water(void) CURFEW_TAG(any, open);"))
        #expect(new.making.succeeded, "\(new.making)")
        let section = try #require(
            ReferencePages.sections(of: try new.page(ofHeader: "curfew/host.h"))
                .first { $0.name == "curfew_water" }
        ).text
        #expect(ReferencePages.words(of: section).contains("waters the plants returns curfew_ok"))
        #expect(section.contains(":c:member:`CURFEW_OK <CURFEW_OK>`"))
        let less = try ReferencePages(
            of: Headers.own.replacing(
                "uint32_t curfew_get_leaked_host_count(void) CURFEW_TAG(any, any);", with: "",
                in: "curfew/host.h"))
        // The comments that speak of it are wrong then.
        #expect(!less.making.succeeded)
        #expect(less.making.errorOutput.contains("there is no curfew_get_leaked_host_count"))
    }

    @Test(
        "A comment with a name that nothing has is refused",
        arguments: ["curfew_host_lunch", "CURFEW_FINE", "api->compleet", "`curfew_lunch(1)`"])
    func unknownNames(name: String) throws {
        let pages = try ReferencePages(
            of: Headers.own.adding(
                "/* See \(name). */\nvoid curfew_see(void) CURFEW_TAG(any, any);"))
        #expect(!pages.making.succeeded)
        #expect(pages.making.errorOutput.contains("curfew/host.h: there is no "))
    }

    private func declarations(of header: String) throws -> [Declaration] {
        try Headers.own.declarations().filter { $0.place.hasPrefix("\(header):") }
    }

    private func structures() throws -> Set<String> {
        Set(try Headers.own.declarations().filter { $0.kind == .structure }.map(\.name))
    }

    /// The words of the comment that ends on a line or on the one before.
    private func comment(above line: Int, in lines: [String]) -> String {
        // Lines count from 1.
        guard let end = [line - 2, line - 1].first(where: { lines[$0].contains("*/") }),
            let start = lines[...end].lastIndex(where: { $0.contains("/*") })
        else { return "" }
        return ReferencePages.words(
            in: lines[start...end].joined(separator: "\n").replacing(/\*\/.*/, with: ""))
    }
}
