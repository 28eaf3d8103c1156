// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("Who may call what, as the headers say")
struct HeaderTagsTests {
    /// The functions of a table with their tags, as a compiler reads the header.
    private static func functions(
        of table: String, in header: String
    ) throws -> (count: Int, tags: [String: HeaderTags.Tag]) {
        let include = BuiltProducts.packageRoot + "/include"
        let compiler = try ChildProcess.run(
            "gcc",
            [
                "-E", "-P", "-DCURFEW_TAG(thread, state)=@tag(thread;state)", "-I", include, "-x",
                "c", "\(include)/curfew/\(header)",
            ])
        let body = try #require(
            compiler.output.components(separatedBy: "struct \(table) {").dropFirst().first?
                .components(separatedBy: "} \(table);").first, "\(compiler)")
        let member = /\(\*([a-z_]+)\)\s*\([^@]*@tag\(([a-z]+);([a-z]+)\)/
        var tags: [String: HeaderTags.Tag] = [:]
        for found in body.matches(of: member) {
            tags[String(found.output.1)] = HeaderTags.Tag(
                thread: String(found.output.2), state: String(found.output.3))
        }
        return (body.components(separatedBy: "(*").count - 1, tags)
    }

    @Test("every function of both tables has the tag that a compiler finds")
    func current() throws {
        let host = try HeaderTagsTests.functions(of: "curfew_host_api", in: "plugin.h")
        let subs = try HeaderTagsTests.functions(of: "curfew_subs", in: "ext/subs.h")
        #expect(host.count > 10 && host.tags.count == host.count)
        #expect(subs.count >= 3 && subs.tags.count == subs.count)
        let all = host.tags.merging(subs.tags) { first, _ in first }
        #expect(HeaderTags.current.functions == all)
        #expect(
            HeaderTags.current.functions["register_handler"]
                == HeaderTags.Tag(thread: "loading", state: "registering"))
    }

    @Test("what stands in a comment, or is no member of a table, is not read")
    func others() {
        let tags = HeaderTags(
            """
            /* curfew_status (*hidden)(void) CURFEW_TAG(any, any); */
            typedef void (*curfew_run_fn)(void) CURFEW_TAG(worker, running);
            struct table {
                int (*plain)(void);
                void (*call_it)(int (*)(void),
                                /* why */ int)
                    CURFEW_TAG( loading ,
                                registering );
            };
            void (*cut
            """)
        #expect(
            tags.functions == [
                "call_it": HeaderTags.Tag(thread: "loading", state: "registering")
            ])
    }
}
