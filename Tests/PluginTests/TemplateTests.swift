// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Each test is the whole way of a newcomer with one template: no part of it works without the one
/// before.
@Suite("The templates, copied out of the installation and built elsewhere", .serialized)
struct TemplateTests {
    @Test("the one in C builds, lints, works, stops when told and says how it ended")
    func c() throws {
        let template = try Template.c.get()
        let linted = try template.curfew("lint", ".")
        #expect(linted.succeeded, "\(linted)")

        let log = try template.write("one\ntwo apples\nthree\nan apple", to: "a log")
        let found = try run(template, "org.example.sift", "apple\n\(log)\n")
        #expect(found.outcome == "succeeded", "\(found)")
        #expect(found.result == "2")
        #expect(found.raised("sift_found").map { $0[0] as? Int } == [2, 4])
        #expect(found.raised("sift_found").map { $0[1] as? String } == ["two apples", "an apple"])
        #expect(found.progress.last == 1)
        #expect(found.done.first as? Bool == true)

        let endless = try run(template, "org.example.sift", "x\n/dev/zero", "--budget", "100ms")
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
            let failed = try run(template, "org.example.sift", payload)
            #expect(failed.outcome == "failed", "\(failed)")
            #expect(failed.answer == answer)
        }
    }

    @Test("the one in Swift builds, lints, works, stops when told and says how it ended")
    func swift() throws {
        let template = try Template.swift.get()
        let linted = try template.curfew("lint", ".")
        #expect(linted.succeeded, "\(linted)")

        let large = try template.write(String(repeating: "x", count: 1 << 20), to: "data/in/large")
        _ = try template.write("abc", to: "data/small")
        let root = String(large.dropLast("/in/large".count))
        let counted = try run(template, "org.example.survey", root)
        #expect(counted.outcome == "succeeded", "\(counted)")
        #expect(counted.result == #"{"files":2,"bytes":1048579}"#)
        #expect(counted.raised("survey_large").map { $0[0] as? String } == [large])
        #expect(counted.raised("survey_large").map { $0[1] as? Int } == [1 << 20])
        #expect(counted.progress.last == 1)
        #expect(counted.done.first as? Bool == true)

        let endless = try run(template, "org.example.survey", "/proc", "--budget", "1ms")
        #expect(endless.outcome == "expired", "\(endless)")
        #expect(endless.answer.hasSuffix(" files because its time was up"), "\(endless)")
        #expect(endless.done.last as? String == "Background task expired.")

        let failed = try run(template, "org.example.survey", "not/absolute")
        #expect(failed.answer == "the payload must be the absolute path of a directory")
    }

    @Test("the library in Swift exports its entry alone, stays mapped and brings its runtime")
    func swiftLibrary() throws {
        let library = try "\(Template.swift.get().path)/libsurvey.so"
        let symbols = try ChildProcess.run(
            "nm", ["-D", "--defined-only", "--extern-only", "--format=posix", library])
        #expect(symbols.output.split(separator: "\n").count == 1, "\(symbols)")
        #expect(symbols.output.hasPrefix("curfew_plugin_entry T "))
        let dynamic = try ChildProcess.run("readelf", ["-d", "-W", library]).output
        #expect(dynamic.contains("NODELETE"))
        #expect(!dynamic.contains("libswift"))
    }

    @Test("make rename gives it another identifier, and make test then passes")
    func rename() throws {
        let c = try Template.c.get()
        let refused = try c.make("rename", "TO=mine")
        #expect(refused.ending == .exited(2))
        #expect(refused.errorOutput.hasPrefix("usage: make rename TO=com.you.thing\n"))
        for (template, identifier, name) in [
            (c, "net.my-site.Sift-Logs", "sift_logs"),
            (try Template.swift.get(), "net.survey.find-big", "find_big"),
        ] {
            let before = try #require(try identifiers(template).first)
            let renamed = try template.make("rename", "TO=\(identifier)")
            #expect(renamed.succeeded, "\(renamed)")
            #expect(try identifiers(template) == [identifier])
            let tested = try template.make("test")
            #expect(tested.succeeded, "\(tested)")
            #expect(tested.output.contains("\(name)_done(true"))
            #expect(
                FileManager.default.fileExists(atPath: "\(template.path)/lib\(name).so"))

            // Back, for other tests.
            let back = try template.make("rename", "TO=\(before)")
            #expect(back.succeeded, "\(back)")
            let built = try template.make()
            #expect(built.succeeded, "\(built)")
        }
    }

    private func run(
        _ template: Template, _ identifier: String, _ payload: String, _ options: String...
    ) throws -> TaskRecord {
        try TaskRecord(
            template.curfew(
                ["run", identifier, "--plugins", ".", "--json", "--payload", payload] + options))
    }

    private func identifiers(_ template: Template) throws -> [String] {
        try template.read("manifest.json").matches(of: /"identifier": "([^"]+)"/)
            .map { String($0.1) }
    }
}
