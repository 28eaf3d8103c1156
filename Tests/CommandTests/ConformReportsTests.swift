// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What curfew conform writes for other programs")
struct ConformReportsTests {
    /// Fails a task with a text that would be markup, and end it.
    private static func hostile(named name: String = "twin") throws -> Twin {
        try Twin(
            code: #"""
                #define TWIN_IF_PLAIN                                                          \
                    return twin_no(host_error, CURFEW_FAILED,                                  \
                                   "a<b> & \"c\" 'd' ]]> \x01\x1b[2J\tT \xef\xbf\xbe\nnew");
                """#, named: name)
    }

    /// The document without its times.
    private static func timeless(_ run: CommandRun) -> String {
        run.output.replacing(/"seconds":[0-9.]+/, with: #""seconds":0"#)
    }

    private static func plugins(_ run: CommandRun) throws -> [[String: Any]] {
        try #require(try run.document()["plugins"] as? [[String: Any]])
    }

    @Test("JSON: the members that are documented, and a tally that adds up")
    func json() throws {
        let run = try CommandRun(
            "conform", "--isolation", "thread", Twin("elf-ident").path, Twin("good").path,
            "--level", "1", "--seed", "99",
            "--json")
        #expect(run.code == 1)
        #expect(run.errors.isEmpty)
        let document = try run.document()
        #expect(Set(document.keys) == ["version", "host", "level", "ok", "plugins"])
        #expect(document["version"] as? Int == 1)
        #expect(document["level"] as? Int == 1)
        #expect(document["ok"] as? Bool == false)
        let host = try #require(document["host"] as? [String: Any])
        #expect(Set(host.keys) == ["curfew", "abi"] && host["abi"] as? Int == 0)
        let plugins = try ConformReportsTests.plugins(run)
        #expect(plugins.map { $0["ok"] as? Bool } == [false, true])
        let guide = try String(
            contentsOfFile: BuiltProducts.packageRoot + "/Documentation/proving-a-plugin.md",
            encoding: .utf8)
        var members = Set(document.keys).union(host.keys)
        for plugin in plugins {
            #expect(
                Set(plugin.keys)
                    == [
                        "path", "id", "pluginVersion", "sha256", "seed", "ok", "untried", "seconds",
                        "notRun", "tally", "cases",
                    ])
            members.formUnion(plugin.keys)
            #expect(plugin["seed"] as? Int == 99 && plugin["untried"] as? [String] == [])
            let tally = try #require(plugin["tally"] as? [String: Int])
            let cases = try #require(plugin["cases"] as? [[String: Any]])
            #expect(tally["all"] == 28 && cases.count == 28)
            let statuses = ["pass", "fail", "crash", "timeout", "leak", "skip", "warn"]
            #expect(Set(tally.keys) == Set(statuses + ["all"]))
            for status in statuses {
                #expect(tally[status] == cases.count { $0["status"] as? String == status })
            }
            for each in cases {
                #expect(
                    Set(each.keys)
                        == [
                            "name", "code", "level", "isolation", "status", "text", "notes",
                            "seconds", "leftOut", "seed", "output",
                        ])
                members.formUnion(each.keys)
                #expect((each["text"] as? String)?.isEmpty == (each["status"] as? String == "pass"))
            }
        }
        #expect(plugins[1]["id"] as? String == "org.example.twin-plugin")
        #expect(plugins[1]["pluginVersion"] as? String == "1.0.0")
        let library = try ChildProcess.run("sha256sum", [Twin("good").path + "/libtwin.so"])
        #expect(plugins[1]["sha256"] as? String == String(library.output.prefix(64)))
        for member in members { #expect(guide.contains("`\(member)`"), "\(member)") }
    }

    @Test("a manifest that cannot be read leaves what it would have said empty")
    func unreadable() throws {
        let run = try CommandRun(
            "conform", Twin("manifest-parses").path, "--level", "1", "--json")
        #expect(run.code == 1)
        let plugin = try #require(try ConformReportsTests.plugins(run).first)
        #expect(plugin["id"] is NSNull && plugin["sha256"] is NSNull)
        #expect(plugin["pluginVersion"] is NSNull)
    }

    @Test("the same seed, the same document but for its times")
    func seed() throws {
        func run(_ seed: String) throws -> String {
            ConformReportsTests.timeless(
                try CommandRun(
                    "conform", Twin("fuzz-payload").path, "--only", "fuzz-payload", "--only",
                    "manifest-id", "--seed", seed, "--json"))
        }
        let first = try run("7")
        #expect(first.contains(#""status":"crash""#))
        #expect(try run("7") == first)
        #expect(try run("8") != first)
    }

    // MARK: JUnit

    private static let reader = """
        import json, sys
        from xml.etree import ElementTree
        root = ElementTree.parse(sys.argv[1]).getroot()
        suites = [{
            "attributes": suite.attrib,
            "seed": suite.find("properties/property").attrib,
            "cases": [{
                "attributes": case.attrib,
                "inside": [[e.tag, e.attrib, e.text or ""] for e in case],
            } for case in suite.findall("testcase")],
        } for suite in root.findall("testsuite")]
        print(json.dumps({"root": root.tag, "suites": suites}))
        """

    private static func suites(_ path: String) throws -> [[String: Any]] {
        let read = try ChildProcess.run("python3", ["-c", reader, path])
        #expect(read.succeeded, "\(read)")
        let object = try JSONSerialization.jsonObject(with: Data(read.output.utf8))
        let document = try #require(object as? [String: Any])
        #expect(document["root"] as? String == "testsuites")
        return try #require(document["suites"] as? [[String: Any]])
    }

    @Test("JUnit: another program's reader finds the same counts, kinds and texts")
    func junit() throws {
        let files = try TemporaryDirectory()
        let run = try CommandRun(
            "conform", "--isolation", "thread", Twin("one-task-done+crashes").path,
            Twin("descriptors-and-children").path,
            Twin("fork-hooks").path, "--only", "one-task-done", "--only", "fork-hooks", "--only",
            "no-space", "--only", "descriptors-and-children", "--junit", files.path("report.xml"))
        #expect(run.code == 1)
        #expect(run.output.matches(of: /Summary/).count == 3)
        let suites = try ConformReportsTests.suites(files.path("report.xml"))
        #expect(suites.count == 3)
        let counts = suites.map { suite -> [String?] in
            let attributes = suite["attributes"] as? [String: String] ?? [:]
            #expect(attributes["name"] == "org.example.twin-plugin")
            #expect(attributes["time"]?.wholeMatch(of: /[0-9]+\.[0-9]{3}/) != nil)
            return ["tests", "failures", "errors", "skipped"].map { attributes[$0] }
        }
        #expect(counts == [["4", "0", "1", "2"], ["4", "1", "0", "0"], ["4", "0", "0", "0"]])
        for (suite, count) in zip(suites, counts) {
            let cases = try #require(suite["cases"] as? [[String: Any]])
            #expect(cases.count == 4)
            let inside = cases.flatMap { $0["inside"] as? [[Any]] ?? [] }
            let tags = inside.compactMap { $0[0] as? String }
            #expect(String(tags.count { $0 == "failure" }) == count[1])
            #expect(String(tags.count { $0 == "error" }) == count[2])
            #expect(String(tags.count { $0 == "skipped" }) == count[3])
            let names = cases.compactMap { ($0["attributes"] as? [String: String])?["name"] }
            #expect(names.contains("one-task-done") && Set(names).count == 4)
            let seed = try #require(suite["seed"] as? [String: String])
            #expect(seed["name"] == "seed" && Int(seed["value"] ?? "") != nil)
        }
        let text = String(decoding: try files.read("report.xml"), as: UTF8.self)
        #expect(text.contains(#"<error type="crash" message="died of SIGSEGV while it ran "#))
        #expect(text.contains(#"<failure type="leak" message=""#))
        #expect(text.contains("<system-out>warning: "))
        #expect(text.contains("curfew explain CF0830"))
    }

    /// Runs two plugins, one with a fault and one with a warning, and writes all reports.
    private static func reports(_ files: TemporaryDirectory) throws -> CommandRun {
        try CommandRun(
            "conform", "--isolation", "thread", Twin("one-task-done+crashes").path,
            Twin("fork-hooks").path, "--only", "one-task-done", "--only", "fork-hooks", "--only",
            "no-space", "--tap", files.path("report.tap"), "--sarif", files.path("report.sarif"),
            "--badge", files.path("badge.json"))
    }

    @Test("a report is a file, and not the standard output")
    func standardOutput() throws {
        let run = try CommandRun("conform", Twin("fork-hooks").path, "--tap", "-")
        #expect(run.code == 2 && run.errors.contains("`--tap` writes to a file, and `-` is none"))
        #expect(run.errors.contains("write `--tap FILE`, or `./-` for a file of that name"))
    }

    @Test("TAP: each case is a line, and what failed has its text below")
    func tap() throws {
        let files = try TemporaryDirectory()
        #expect(try Self.reports(files).code == 1)
        let text = String(decoding: try files.read("report.tap"), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["TAP version 14", "1..6"])
        let cases = lines.filter { $0.wholeMatch(of: /(not )?ok [0-9]+ - .*/) != nil }
        let numbers = cases.compactMap { $0.firstMatch(of: /[0-9]+/).flatMap { Int($0.output) } }
        #expect(numbers == Array(1...6))
        #expect(cases.count { $0.hasPrefix("not ok") } == 1)
        #expect(cases.count { $0.contains(" # SKIP ") } == 1)
        #expect(lines.contains("  severity: crash") && lines.contains("  severity: warn"))
        #expect(lines.count { $0 == "  ---" } == 2 && lines.count { $0 == "  ..." } == 2)
    }

    @Test("SARIF: a run for each plugin, a result for each fault and warning, with its rule")
    func sarif() throws {
        let files = try TemporaryDirectory()
        #expect(try Self.reports(files).code == 1)
        let object = try JSONSerialization.jsonObject(with: Data(try files.read("report.sarif")))
        let document = try #require(object as? [String: Any])
        #expect(document["version"] as? String == "2.1.0")
        let runs = try #require(document["runs"] as? [[String: Any]])
        #expect(runs.count == 2)
        let results = runs.map { $0["results"] as? [[String: Any]] ?? [] }
        // The twin of fork-hooks warns, and its code is not called at a fork here.
        #expect(results.map { $0.map { $0["level"] as? String } } == [["error"], ["warning"]])
        for (run, results) in zip(runs, results) {
            let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
            let rules = try #require(driver?["rules"] as? [[String: Any]])
            for result in results {
                let index = try #require(result["ruleIndex"] as? Int)
                #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
                #expect(((result["message"] as? [String: Any])?["text"] as? String ?? "") != "")
                #expect("\(result["locations"] ?? "")".contains("manifest.json"))
            }
        }
        #expect(results[0][0]["ruleId"] as? String == "CF0830")
    }

    @Test("the badge is red where a case failed, and says how many passed")
    func badge() throws {
        let files = try TemporaryDirectory()
        _ = try Self.reports(files)
        func badge() throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(try files.read("badge.json")))
            return try #require(object as? [String: Any])
        }
        #expect(try badge()["color"] as? String == "red")
        #expect(try badge()["message"] as? String == "level 2, 3 passed, 1 failed, 1 warned")
        let run = try CommandRun(
            "conform", Twin("good").path, "--only", "manifest-id", "--badge",
            files.path("badge.json"))
        #expect(run.code == 0)
        #expect(try badge()["color"] as? String == "brightgreen")
        #expect(try badge()["schemaVersion"] as? Int == 1)
    }

    @Test("with little time, cases are left out, which the summary says, and none is accused")
    func time() throws {
        let run = try CommandRun("conform", Twin("good").path, "--level", "2", "--time", "1s")
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("the time that --time gives is used up"))
        #expect(run.output.firstMatch(of: /time:   it was not enough for [0-9]+ cases/) != nil)
        let wrong = try CommandRun("conform", Twin("good").path, "--time", "1ms")
        #expect(wrong.code == 2 && wrong.errors.contains("`--time 1ms` is out of bounds"))
    }

    @Test("a crash tells where in the library it was")
    func place() throws {
        let run = try CommandRun(
            "conform", "--isolation", "thread", Twin("one-task-done+crashes").path, "--only",
            "one-task-done")
        let found = try #require(
            run.output.firstMatch(
                of: /in libtwin.so\+(0x[0-9a-f]+): addr2line -fe libtwin.so (0x[0-9a-f]+)/))
        #expect(found.1 == found.2)
        let line = try ChildProcess.run(
            "addr2line",
            ["-fe", Twin("one-task-done+crashes").path + "/libtwin.so", String(found.1)])
        #expect(line.output.hasPrefix("twin_run\n"), "\(line)")
    }

    @Test("no text of a plugin's can be markup, obeyed by a terminal, or spoil a document")
    func hostile() throws {
        let name = "a<b>&\"\u{1B}[2J"
        let twin = try ConformReportsTests.hostile(named: name)
        let files = try TemporaryDirectory()
        let report = files.path("report.xml")
        let words = ["conform", twin.path, "--only", "one-task-done", "--only", "manifest-id"]
        let run = try ChildProcess.run(
            CommandRun.program, words + ["--junit", report], environment: CommandRun.environment)
        #expect(run.ending == .exited(1))
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{1}"))
        #expect(run.output.contains(#"a<b> & "c" 'd' ]]> \u{1}\u{1b}[2J"#), "\(run)")
        let suites = try ConformReportsTests.suites(report)
        let cases = try #require(suites.first?["cases"] as? [[String: Any]])
        let inside = cases.flatMap { $0["inside"] as? [[Any]] ?? [] }
        // In a thread and in a process.
        #expect(inside.count == 2)
        let text = try #require(inside.first?[2] as? String)
        #expect(
            text == """
                it said: a<b> & "c" 'd' ]]> \u{FFFD}\u{FFFD}[2J\tT \u{FFFD}
                new
                curfew explain CF0830
                """)
        let json = try ChildProcess.run(
            CommandRun.program, words + ["--json"], environment: CommandRun.environment)
        #expect(!json.output.contains("\u{1B}"))
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
        let plugins = (object as? [String: Any])?["plugins"] as? [[String: Any]]
        #expect((plugins?[0]["path"] as? String)?.hasSuffix(name) == true)
        let found = plugins?[0]["cases"] as? [[String: Any]]
        #expect("\(found?[1] ?? [:])".contains("a<b> & "))
    }

    @Test("an id with control characters in it harms neither a screen nor a report")
    func hostileID() throws {
        let twin = try Twin { $0["id"] = "org.example.\u{1B}[2J<&\u{7}" }
        let files = try TemporaryDirectory()
        let run = try CommandRun(
            "conform", twin.path, "--level", "1", "--junit", files.path("report.xml"))
        #expect(run.code == 1)
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{7}"))
        #expect(run.output.contains("`org.example.\u{FFFD}[2J<&\u{FFFD}`"), "\(run.output)")
        let suites = try ConformReportsTests.suites(files.path("report.xml"))
        #expect((suites[0]["attributes"] as? [String: String])?["failures"] == "1")
        let json = try CommandRun("conform", twin.path, "--level", "1", "--json")
        #expect(!json.output.contains("\u{1B}"))
        #expect(try ConformReportsTests.plugins(json).count == 1)
    }

    @Test("a report that cannot be written is told of after the screen")
    func unwritable() throws {
        let run = try CommandRun(
            "conform", Twin("good").path, "--only", "manifest-id", "--junit", "/nowhere/r.xml")
        #expect(run.code == 1)
        #expect(run.output.contains("1 case: 1 passed"))
        #expect(
            run.errors.hasPrefix(
                "error: the report /nowhere/r.xml cannot be written: No such file or directory\n"))
        let full = try CommandRun(
            "conform", Twin("good").path, "--only", "manifest-id", "--junit", "/dev/full")
        #expect(full.code == 1)
        #expect(full.errors.contains("No space left on device"))
    }

    @Test("the report is written also when the output is closed")
    func unread() throws {
        let files = try TemporaryDirectory()
        let run = try ChildProcess.run(
            "bash",
            [
                "-c", #""$@" | true"#, "bash", CommandRun.program, "conform", "--isolation",
                "thread", Twin("good").path,
                "--level", "1", "--junit", files.path("report.xml"),
            ], environment: CommandRun.environment)
        #expect(run.succeeded)
        let suites = try ConformReportsTests.suites(files.path("report.xml"))
        #expect((suites[0]["attributes"] as? [String: String])?["tests"] == "28")
    }

    @Test("a handler without an example is named, of which no task is run")
    func untried() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Twin("good").path, toPath: files.path("twin"))
        let place = URL(fileURLWithPath: files.path("twin/manifest.json"))
        let text = try String(contentsOf: place, encoding: .utf8)
        let bare = text.replacing(/,\s*"examples": \[[^\]]*\]/, with: "")
        #expect(bare != text)
        try bare.write(to: place, atomically: true, encoding: .utf8)
        let twin = files.path("twin")
        let run = try CommandRun("conform", twin, "--only", "manifest-id", "--json")
        let plugins = try ConformReportsTests.plugins(run)
        #expect(plugins.first?["untried"] as? [String] == ["org.example.twin"], "\(run.output)")
        let screen = try CommandRun("conform", twin, "--only", "manifest-id", "--level", "2")
        #expect(
            screen.output.contains("org.example.twin has no example in the manifest, so what"),
            "\(screen.output)")
    }
}
