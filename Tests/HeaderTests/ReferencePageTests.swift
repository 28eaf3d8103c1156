// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The reference is the headers: all of them, and nothing else.
@Suite("The pages of the headers")
struct ReferencePageTests {
    /// Made once: each takes seconds.
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
        for declaration in try declarations(of: header) {
            expected.formUnion(declaration.constants)
            if !declaration.name.isEmpty { expected.insert(declaration.name) }
            expected.formUnion(
                declaration.members.map { "\(declaration.name).\($0.name)" })
        }
        let places = ReferencePages.places(in: try pages.page(ofHeader: header))
            .filter { !$0.hasPrefix("section-") }
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
        let page = try pages.page(ofHeader: header)
        let lines = try Headers.own.source(of: header).components(separatedBy: "\n")
        let structures = Set(
            try Headers.own.declarations().filter { $0.kind == .structure }.map(\.name))
        for declaration in try declarations(of: header) where !declaration.name.isEmpty {
            // A structure that is announced first has the place of its members.
            if declaration.kind == .alias, structures.contains(declaration.name) { continue }
            let section = try #require(
                ReferencePages.section(declaration.name, in: page), "\(declaration.title)")
            let line = try #require(
                declaration.place.split(separator: ":").last.flatMap { Int($0) })
            let comment = comment(above: line, in: lines)
            #expect(
                comment.isEmpty || ReferencePages.words(of: section).contains(comment),
                "\(declaration.title)")
            #expect(!comment.isEmpty || !declaration.isCallable, "\(declaration.title)")
            for tag in declaration.tags where declaration.isCallable {
                #expect(section.contains("<code>\(tag.thread)</code>"), "\(declaration.title)")
                #expect(section.contains("<code>\(tag.state)</code>"), "\(declaration.title)")
            }
        }
    }

    @Test("Each status has its number, its code and its text")
    func statuses() throws {
        let page = try pages.page(ofHeader: "curfew/types.h")
        let map = try #require(ReferencePages.section("CURFEW_STATUS_MAP", in: page))
        let rows = try Headers.own.source(of: "curfew/types.h")
            .matches(of: /X\((\w+), (\d+), "([^"]*)"\)/)
        #expect(rows.count > 20)
        for row in rows {
            let number = Int(row.2) ?? 0
            let code = number == 0 ? "" : "CF" + String(10_000 + number).dropFirst()
            #expect(
                ReferencePages.words(of: map).contains(
                    ReferencePages.words(in: "CURFEW_\(row.1) \(number) \(code) \(row.3)")))
        }
    }

    @Test("Every link leads somewhere")
    func links() throws {
        var count = 0
        let texts = try Dictionary(
            uniqueKeysWithValues: pages.names().map { ($0, try pages.page($0)) })
        let places = texts.mapValues { Set(ReferencePages.places(in: $0)) }
        for (name, text) in texts {
            let directory = name.split(separator: "/").dropLast().joined(separator: "/")
            for link in text.matches(of: /href="([^"]+)"/) {
                let parts = link.1.split(
                    separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path = URL(fileURLWithPath: "/\(directory)/\(parts[0])").standardized.path
                let target = parts[0].isEmpty ? name : String(path.dropFirst())
                let there = places[target]
                #expect(
                    parts.count > 1
                        ? there?.contains(String(parts[1])) == true
                        : there != nil || pages.isThere(target), "\(name): \(link.1)")
                count += 1
            }
        }
        #expect(count > 500)
    }

    @Test("What is new in a header is on its page, and what is gone is not")
    func changes() throws {
        let new = try ReferencePages(
            of: Headers.own.adding(
                "/* Waters the plants. Returns CURFEW_OK. */\n"
                    + "curfew_status curfew_water(void) CURFEW_TAG(any, open);"))
        #expect(new.making.succeeded, "\(new.making)")
        let section = try #require(
            ReferencePages.section(
                "curfew_water", in: try new.page(ofHeader: "curfew/host.h")))
        #expect(ReferencePages.words(of: section).contains("Waters the plants Returns CURFEW_OK"))
        #expect(section.contains(#"<a href="types.html#CURFEW_OK">CURFEW_OK</a>"#))
        let less = try ReferencePages(
            of: Headers.own.replacing(
                "uint32_t curfew_leaked_hosts(void) CURFEW_TAG(any, any);", with: "",
                in: "curfew/host.h"))
        // The comments that speak of it are wrong then.
        #expect(!less.making.succeeded)
        #expect(less.making.errorOutput.contains("there is no curfew_leaked_hosts"))
    }

    @Test(
        "A comment with a name that nothing has is refused",
        arguments: ["curfew_host_lunch", "CURFEW_FINE", "api->compleet"])
    func unknownNames(name: String) throws {
        let pages = try ReferencePages(
            of: Headers.own.adding(
                "/* See \(name). */\nvoid curfew_see(void) CURFEW_TAG(any, any);"))
        #expect(!pages.making.succeeded)
        #expect(pages.making.errorOutput.contains("curfew_see: there is no "))
    }

    private func declarations(of header: String) throws -> [Declaration] {
        try Headers.own.declarations().filter { $0.place.hasPrefix("\(header):") }
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
