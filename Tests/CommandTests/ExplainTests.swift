// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew explain")
struct ExplainTests {
    @Test(
        "a code, its number, its name: the same text",
        arguments: ["CF0704", "cf704", "704", "undeclared-event", "Undeclared_Event"])
    func same(word: String) throws {
        let run = try CommandRun("explain", word)
        #expect(run.code == 0)
        #expect(
            run.output == """
                CF0704  undeclared-event
                an event was raised that the manifest does not declare

                Subscribers know from the manifest which events there are and what they carry,
                and a name has one owner in a host. The event was not raised. Declare it with
                its handler, `"events": [{"name": "tidied", "parameters": ["text"]}]`, and mind
                that the number of parameters is part of the name.

                the call answers CURFEW_DENIED: curfew explain CF0017

                """, "\(run.output)")
    }

    @Test("a status is found by its name in the headers", arguments: ["CURFEW_BUSY", "busy", "9"])
    func status(word: String) throws {
        let run = try CommandRun("explain", word)
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("CF0009  busy\na queue is full; nothing was launched, "))
        #expect(run.output.hasSuffix("\n\nin the headers: CURFEW_BUSY, 9\n"))
    }

    @Test("of a store whose file is missing a restart alone does not help")
    func gone() throws {
        let run = try CommandRun("explain", "CF0031")
        #expect(run.output.contains("restore a backup"), "\(run.output)")
    }

    @Test(
        "what there is not is told with the nearest",
        arguments: [
            ("manifest-durtion", "did you mean `manifest-duration`?"),
            ("CURFEW_STORE_BSUY", "did you mean `store-busy`?"),
            ("zzzzzz", "curfew explain"), ("-", "curfew explain"),
        ])
    func unknown(word: String, help: String) throws {
        let run = try CommandRun("explain", word)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(
            run.errors.hasPrefix(
                "error: there is no code and no rule `\(word)`\n  = help: \(help)\n"),
            "\(run.errors)")
    }

    @Test("of numbers that are not there the next one that is", arguments: ["CF9999", "10000000"])
    func unknownNumber(word: String) throws {
        let faults = try CommandRun("explain", "--json").document()["faults"] as? [[String: Any]]
        let last = try #require(faults?.last?["code"] as? String)
        let run = try CommandRun("explain", word)
        #expect(run.code == 2)
        #expect(run.errors.contains("\n  = help: did you mean `\(last)`?\n"), "\(run.errors)")
    }

    @Test("alone it lists all, in groups and 80 columns, and each of them can be explained")
    func all() throws {
        let run = try CommandRun("explain")
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
        let groups = lines.filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") }
        #expect(groups.first == "Status codes:")
        #expect(groups.last == "Conformance cases:")
        let items = lines.compactMap {
            $0.wholeMatch(of: #/  (CF[0-9]{4})  ([a-z0-9-]+) .+/#)?.output
        }
        #expect(items.count > 80)
        let document = try CommandRun("explain", "--json").document()
        let faults = try #require(document["faults"] as? [[String: Any]])
        #expect(faults.map { $0["code"] as? String } == items.map { String($0.1) })
        #expect(faults.map { $0["name"] as? String } == items.map { String($0.2) })
    }

    @Test("every explanation fits a terminal of 80 columns")
    func width() throws {
        let document = try CommandRun("explain", "--json").document()
        let faults = try #require(document["faults"] as? [[String: Any]])
        for code in faults.compactMap({ $0["code"] as? String }) {
            let run = try CommandRun("explain", code)
            #expect(run.code == 0)
            let lines = run.output.split(separator: "\n")
            #expect(lines.count >= 4)
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
        }
        let typist = try Typist(CommandRun.program, "explain", "704")
        #expect(typist.screen.hasPrefix("\u{1B}[1mCF0704\u{1B}[0m"))
        #expect(typist.lines.allSatisfy { $0.count <= 80 })
    }

    @Test("a case of conform is told by its number and by its name")
    func conformance() throws {
        let run = try CommandRun("explain", "reinit-100")
        #expect(run.output.hasPrefix("CF0862  reinit-100\n"))
        #expect(try CommandRun("explain", "862").output == run.output)
        // The rule has the name for itself; the case has it with a word in front.
        let rule = try CommandRun("explain", "manifest-library")
        #expect(rule.output.hasPrefix("CF0209  manifest-library\n"))
    }

    @Test("what run shows of a violation can be explained")
    func violation() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(
            "", run: "api->raise(api, task, \"odd_shout\", NULL, 0); return CURFEW_OK;", in: files)
        let run = try CommandRun(
            "run", "org.example.odd", "--plugins", "odd", directory: files.path)
        #expect(run.code == 0)
        let line = try #require(
            run.output.split(separator: "\n").first { $0.contains("  MISUSE    ") }, "\(run.output)"
        )
        let said = line.replacing(#/.*MISUSE    /#, with: "")
        #expect(
            said.replacing(/task [0-9]+:/, with: "task N:")
                == #"CF0704 undeclared-event: "org.example.odd" raised "odd_shout" in task N: its manifest does not declare it; nothing was raised"#
        )
        let code = try #require(said.split(separator: " ").first.map(String.init))
        #expect(try CommandRun("explain", code).output.hasPrefix("CF0704  undeclared-event\n"))
    }

    @Test("JSON has the fields of one")
    func json() throws {
        let fault = try CommandRun("explain", "704", "--json").document()
        #expect(fault["code"] as? String == "CF0704")
        #expect(fault["name"] as? String == "undeclared-event")
        #expect(fault["group"] as? String == "Plugin contract")
        #expect((fault["text"] as? String)?.isEmpty == false)
        #expect((fault["explanation"] as? String)?.hasSuffix(".") == true)
        #expect(fault["status"] as? String == "CURFEW_DENIED")
        #expect(fault["statusValue"] as? Int == 17)
        #expect(try CommandRun("explain", "711", "--json").document()["status"] is NSNull)
    }
}
