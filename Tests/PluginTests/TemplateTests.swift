// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Each test is the whole way of a newcomer with one template: no part of it works without the one
/// before.
@Suite("The templates, installed and made into plugins", .serialized)
struct TemplateTests {
    @Test("the one in C builds, lints, works, stops when told and says how it ended")
    func c() throws {
        let template = try Template.c.get()
        let linted = try template.curfew("lint", template.plugin)
        #expect(linted.succeeded, "\(linted)")

        let log = try template.write("one\ntwo apples\nthree\nan apple", to: "a log")
        let found = try run(template, "org.example.find-words", "apple\n\(log)\n")
        #expect(found.outcome == "succeeded", "\(found)")
        #expect(found.result == "2")
        #expect(found.raised("find_words_found").map { $0[0] as? Int } == [2, 4])
        #expect(
            found.raised("find_words_found").map { $0[1] as? String } == ["two apples", "an apple"])
        #expect(found.progress.last == 1)
        #expect(found.done.first as? Bool == true)

        let endless = try run(
            template, "org.example.find-words", "x\n/dev/zero", "--budget", "100ms")
        #expect(endless.outcome == "expired", "\(endless)")
        #expect(endless.answer.hasPrefix("told to stop after line "))
        #expect(endless.done.first as? Bool == false)
        #expect(endless.done.last as? String == "Background task expired.")

        for (payload, answer) in [
            ("apple\n/nowhere", "could not open /nowhere: No such file or directory"),
            ("apple\n/etc", "could not read past line 0: Is a directory"),
            (
                "/etc/passwd",
                "the payload must be two lines, a word and the absolute path of a file"
            ),
            ("", "the payload must be two lines, a word and the absolute path of a file"),
            (
                String(repeating: "x", count: 8_192),
                "the payload must be two lines, a word and the absolute path of a file"
            ),
        ] {
            let failed = try run(template, "org.example.find-words", payload)
            #expect(failed.outcome == "failed", "\(failed)")
            #expect(failed.answer == answer)
        }
    }

    @Test("the one in Swift builds, lints, works, stops when told and says how it ended")
    func swift() throws {
        let template = try Template.swift.get()
        let linted = try template.curfew("lint", template.plugin)
        #expect(linted.succeeded, "\(linted)")

        let text = "one\n\(String(repeating: "x", count: 101))\nno end"
        let lines = try template.write(text, to: "some lines")
        let counted = try run(template, "org.example.line-count", lines)
        #expect(counted.outcome == "succeeded", "\(counted)")
        #expect(counted.result == #"{"lines":2,"bytes":112}"#)
        #expect(counted.raised("line_count_long").map { $0 as? [Int] } == [[2, 101]])
        #expect(counted.progress.last == 1)
        #expect(counted.done.first as? Bool == true)

        let endless = try run(
            template, "org.example.line-count", "/dev/zero", "--budget", "100ms")
        #expect(endless.outcome == "expired", "\(endless)")
        #expect(endless.answer.hasSuffix(" bytes because its time was up"), "\(endless)")
        #expect(endless.done.last as? String == "Background task expired.")

        for (payload, answer) in [
            ("not/absolute", "the payload must be the absolute path of a file"),
            ("/nowhere", "could not open /nowhere: No such file or directory"),
            ("/etc", "could not read /etc: Is a directory"),
        ] {
            let failed = try run(template, "org.example.line-count", payload)
            #expect(failed.outcome == "failed", "\(failed)")
            #expect(failed.answer == answer)
        }
    }

    @Test("the library in Swift exports its entry alone, stays mapped and brings its runtime")
    func swiftLibrary() throws {
        let library = try "\(Template.swift.get().plugin)/libline-count.so"
        let symbols = try ChildProcess.run(
            "nm", ["-D", "--defined-only", "--extern-only", "--format=posix", library])
        #expect(symbols.output.split(separator: "\n").count == 1, "\(symbols)")
        #expect(symbols.output.hasPrefix("curfew_plugin_entry T "))
        let dynamic = try ChildProcess.run("readelf", ["-d", "-W", library]).output
        #expect(dynamic.contains("NODELETE"))
        #expect(!dynamic.contains("libswift"))
    }

    private func run(
        _ template: Template, _ identifier: String, _ payload: String, _ options: String...
    ) throws -> TaskRecord {
        try TaskRecord(
            template.curfew(
                ["run", identifier, "--plugins", "build", "--json", "--payload", payload] + options)
        )
    }
}
