// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What curfew conform is asked for")
struct ConformOptionsTests {
    @Test(
        "what is wrong is said before anything is run",
        arguments: [
            (["--only", "no-exitt"], "there is no case `no-exitt`", "did you mean `no-exit`?"),
            (["--exclude", "no-wy"], "there is no case `no-wy`", "curfew conform --list"),
            (["--only", "CF0899"], "there is no case `CF0899`", "curfew conform --list"),
            (["--only", "x*"], "there is no case `x*`", "curfew conform --list"),
            (
                ["--level", "0"], "`--level` takes a number from 1 to 3, not `0`",
                "curfew help conform"
            ),
            (
                ["--level", "4"], "`--level` takes a number from 1 to 3, not `4`",
                "curfew help conform"
            ),
            (
                ["--level", "x"], "`--level` takes a number from 1 to 3, not `x`",
                "curfew help conform"
            ),
            (
                ["--repeat", "0"], "`--repeat` takes a number from 1 to 10000, not `0`",
                "curfew help conform"
            ),
            (
                ["--seed", "-1"],
                "`--seed` takes a whole number up to 9007199254740991, not `-1`",
                "curfew help conform"
            ),
            (
                ["--reproduce", "9007199254740992"],
                "`--reproduce` takes a whole number up to 9007199254740991, not `9007199254740992`",
                "curfew help conform"
            ),
            (
                ["--reproduce", "5", "--only", "one-task-done"],
                "`--reproduce` is for the cases with chance in them, fuzz-calls, fuzz-payload and chaos",
                "write `--only fuzz-calls --reproduce N`"
            ),
            (
                ["--reproduce", "5", "--exclude", "fuzz-*", "--exclude", "chaos"],
                "`--reproduce` is for the cases with chance in them, fuzz-calls, fuzz-payload and chaos",
                "write `--only fuzz-calls --reproduce N`"
            ),
            (
                ["--reproduce", "5", "--seed", "4"],
                "`--reproduce` names a seed, and so does `--seed`: one is enough",
                "curfew help conform"
            ),
            (
                ["--isolation", "Process"],
                "`--isolation` takes thread, process or both, not `Process`",
                "--isolation process"
            ),
            (
                ["--in-process"],
                "in this process one case can be run, and none is named",
                "write `--in-process --only CASE`"
            ),
            (
                ["--in-process", "--only", "fuzz-*"],
                "in this process one case can be run, and these are 2",
                "write `--in-process --only CASE`"
            ),
            (
                ["--only", "no-exit", "--exclude", "no-*"],
                "no case is left to run: every selected case is excluded",
                "curfew conform --list"
            ),
            (
                ["--exclude", "*"],
                "no case is left to run: every selected case is excluded",
                "curfew conform --list"
            ),
        ] as [([String], String, String)])
    func refused(words: [String], message: String, help: String) throws {
        let run = try ChildProcess.run(
            CommandRun.program, ["conform", Twin("good").path] + words,
            environment: CommandRun.environment)
        #expect(run.ending == .exited(2))
        #expect(run.output.isEmpty)
        #expect(
            run.errorOutput.hasPrefix("error: \(message)\n  = help: \(help)\n"),
            "\(run.errorOutput)")
    }

    @Test("no plugin, and what is none")
    func noPlugin() throws {
        let none = try CommandRun("conform", "--level", "1")
        #expect(none.code == 2)
        #expect(
            none.errors.hasPrefix(
                "error: `curfew conform` lacks its argument\n  = help: write `curfew conform PATH…`"
            ))
        let nowhere = try CommandRun("conform", "/nowhere\u{1B}[2J")
        #expect(nowhere.code == 2)
        #expect(
            nowhere.errors == """
                error: there is no plugin `/nowhere\\u{1b}[2J`: No such file or directory
                  = help: curfew plugins

                """)
        let files = try TemporaryDirectory()
        let empty = try CommandRun("conform", files.path)
        #expect(empty.code == 2)
        #expect(empty.errors.contains("is no plugin: there is no manifest.json in it\n"))
        let file = try CommandRun("conform", try files.write("", to: "libx.so"))
        #expect(file.code == 2)
        #expect(file.errors.contains("is no plugin: there is no manifest.json beside it\n"))
        // One that is not there keeps all from being run.
        let second = try CommandRun("conform", Twin("good").path, files.path, "--level", "1")
        #expect(second.code == 2 && second.output.isEmpty)
    }

    private static func names(_ run: CommandRun) throws -> [String] {
        let cases = try run.document()["cases"] as? [[String: Any]] ?? []
        return cases.compactMap { $0["name"] as? String }
    }

    @Test("the list: as text and as JSON, whole and narrowed, the same in both")
    func list() throws {
        let all = try CommandRun("conform", "--list")
        #expect(all.code == 0)
        let item = #/  (CF08[0-9]{2})  ([a-z0-9-]+) +[^ ].*/#
        let items = all.output.split(separator: "\n").compactMap { $0.wholeMatch(of: item)?.output }
        #expect(items.count == 77)
        let headings = all.output.split(separator: "\n").filter { $0.wholeMatch(of: item) == nil }
        #expect(headings == ["level 1", "level 2", "level 3"])
        let json = try CommandRun("conform", "--list", "--json")
        #expect(try json.document()["version"] as? Int == 1)
        let cases = try #require(try json.document()["cases"] as? [[String: Any]])
        #expect(Set(cases.compactMap { $0["code"] as? String }) == Set(items.map { String($0.1) }))
        for each in cases {
            #expect(Set(each.keys) == ["name", "code", "level", "text", "needs"])
            #expect([1, 2, 3].contains(each["level"] as? Int))
        }
        for (words, expected) in [
            (
                ["--only", "no-*"],
                [
                    "no-exit", "no-affinity", "no-races", "no-descriptors", "no-space", "no-memory",
                ]
            ),
            (["--only", "cf0830"], ["one-task-done"]),
            (
                ["--only", "no-*", "--exclude", "*-space"],
                ["no-exit", "no-affinity", "no-races", "no-descriptors", "no-memory"]
            ),
        ] {
            let text = try ChildProcess.run(CommandRun.program, ["conform", "--list"] + words)
            let shown = text.output.split(separator: "\n").compactMap {
                $0.wholeMatch(of: item).map { String($0.output.2) }
            }
            #expect(shown == expected, "\(text)")
            let narrowed = try ChildProcess.run(
                CommandRun.program, ["conform", "--list", "--json"] + words)
            let document = try JSONSerialization.jsonObject(with: Data(narrowed.output.utf8))
            let cases = (document as? [String: Any])?["cases"] as? [[String: Any]]
            #expect(cases?.compactMap { $0["name"] as? String } == expected)
        }
        let level = try CommandRun("conform", "--list", "--json", "--level", "1")
        #expect(try ConformOptionsTests.names(level).count == 28)
    }

    @Test("cases are named by patterns and by codes, and what is named is run whatever its level")
    func only() throws {
        let good = Twin("good").path
        let run = try CommandRun(
            "conform", "--isolation", "thread", good, "--level", "1", "--only", "manifest-*",
            "--only", "CF0830",
            "--exclude", "*-id")
        #expect(run.code == 0)
        let names = run.output.matches(of: #/ PASS \[ +[0-9.]+s\] ([a-z-]+)\n/#).map {
            String($0.output.1)
        }
        #expect(names == ["manifest-parses", "manifest-no-duplicates", "one-task-done"])
        #expect(run.output.contains(", 3 cases, seed "))
    }

    @Test("--repeat: each round has a seed of its own, and is reported")
    func rounds() throws {
        let run = try CommandRun(
            "conform", Twin("good").path, "--only", "manifest-id", "--repeat", "3", "--seed", "41")
        #expect(run.code == 0)
        let seeds = run.output.matches(of: /1 case, seed ([0-9]+)\n/).map { String($0.output.1) }
        #expect(seeds == ["41", "42", "43"])
        #expect(run.output.matches(of: /1 case: 1 passed\n/).count == 3)
        // Without a seed they begin somewhere else each time.
        let other = try CommandRun("conform", Twin("good").path, "--only", "manifest-id")
        let again = try CommandRun("conform", Twin("good").path, "--only", "manifest-id")
        #expect(
            other.output.split(separator: "\n").first != again.output.split(separator: "\n").first)
    }

    @Test("what chance has found is found again at once, in a child and in the kit's own process")
    func reproduce() throws {
        let path = Twin("fuzz-payload").path
        let run = try CommandRun(
            "conform", "--isolation", "thread", path, "--only", "fuzz-payload", "--seed", "7")
        #expect(run.code == 1)
        let again = try #require(
            run.output.firstMatch(
                of: /again:  curfew (conform .*--reproduce ([0-9]+)) --isolation thread\n/))
        #expect(
            again.output.1 == "conform \(path) --only fuzz-payload --reproduce \(again.output.2)")
        #expect(
            run.output.hasSuffix(
                "\n  debug:  gdb --args curfew \(again.output.1) --in-process\n"))
        let seed = String(again.output.2)
        for _ in 0..<2 {
            let second = try CommandRun(
                "conform", "--isolation", "thread", path, "--only", "fuzz-payload", "--reproduce",
                seed)
            #expect(second.code == 1)
            #expect(second.output.contains("] fuzz-payload"))
            #expect(second.output.contains("died of SIGSEGV while it ran "))
            #expect(second.output.contains(" --reproduce \(seed) --in-process\n"))
            #expect(!second.output.contains("again:"))
        }
        // It is that payload: a plugin that minds nothing gets it as well, and nothing else.
        let good = try CommandRun(
            "conform", "--isolation", "thread", Twin("good").path, "--only", "fuzz-payload",
            "--reproduce", seed, "--json")
        #expect(good.code == 0)
        let files = try TemporaryDirectory()
        let inside = try CommandRun(
            "conform", "--isolation", "thread", path, "--only", "fuzz-payload", "--reproduce", seed,
            "--in-process",
            directory: files.path, environment: ["TMPDIR": files.path])
        #expect(inside.process.ending == .signalled(SIGSEGV))
        // The kit's own directory stays, for nobody is left to remove it.
        #expect(
            try Twin.leftovers(files).allSatisfy { $0.hasPrefix("curfew-conform-") })
    }

    @Test("what chaos has found is found again by its seed")
    func reproduceChaos() throws {
        let path = Twin("chaos").path
        let run = try CommandRun(
            "conform", path, "--chaos", "--isolation", "thread", "--seed", "7", "--json")
        let seed = try #require(
            run.output.firstMatch(of: /"leftOut":0,"seed":([0-9]+)/)?.output.1, "\(run.output)")
        #expect(run.code == 1 && run.output.contains(#""tally":{"all":1,"#))
        for _ in 0..<2 {
            let again = try CommandRun(
                "conform", path, "--chaos", "--isolation", "thread", "--reproduce", String(seed))
            #expect(again.code == 1, "\(again.output)")
        }
        let both = try CommandRun("conform", path, "--chaos", "--only", "chaos")
        #expect(both.code == 2 && both.errors.contains("`--chaos` is `--only chaos`"))
    }

    @Test("in the kit's own process: the verdict, and nothing left where it was started")
    func inProcess() throws {
        let files = try TemporaryDirectory()
        func run(_ twin: String, _ name: String) throws -> CommandRun {
            try CommandRun(
                "conform", Twin(twin).path, "--only", name, "--in-process", directory: files.path,
                environment: ["TMPDIR": files.path])
        }
        #expect(try run("good", "one-task-done").code == 0)
        let failed = try run("one-task-done", "one-task-done")
        #expect(failed.code == 1)
        #expect(failed.output.contains("  debug:  gdb --args curfew conform "))
        #expect(!failed.output.contains("again:"))
        // What it writes is for a parent to see.
        let silent = try run("stdio-untouched", "stdio-untouched")
        #expect(silent.code == 2)
        #expect(silent.output.contains("what it writes can be seen in a child only"))
        #expect(try Twin.leftovers(files).isEmpty)
    }
}
