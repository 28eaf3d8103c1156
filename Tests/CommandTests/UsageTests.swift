// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The command line itself")
struct UsageTests {
    @Test(
        "what is wrong is said with what was meant",
        arguments: [
            (["rum"], "there is no command `rum`", "did you mean `run`?"),
            (
                ["run"], "`curfew run` lacks its argument",
                "write `curfew run IDENTIFIER`, or `curfew run -- PROGRAM`"
            ),
            (
                ["run", "a.b", "c"], "`curfew run` takes no argument `c`",
                "curfew help run"
            ),
            (
                ["run", "a.b", "--buget", "3s"], "`curfew run` has no option `--buget`",
                "did you mean `--budget`?"
            ),
            (
                ["run", "a.b", "--bud=3s"], "`curfew run` has no option `--bud`",
                "did you mean `--budget`?"
            ),
            (["run", "a.b", "--budget"], "`--budget` lacks its value", "write `--budget TIME`"),
            (
                ["run", "a.b", "--budget", "3m"], "`3m` is not a duration",
                "did you mean `--budget 3min`?"
            ),
            (
                ["run", "a.b", "--budget", "soon"], "`soon` is not a duration",
                "write a number and one of ms, s, min, h: `--budget 30s`"
            ),
            (
                ["run", "a.b", "--budget", "0s"], "`--budget 0s` is out of bounds",
                "write a duration from 1 ms to 24 h"
            ),
            (
                ["run", "a.b", "--grace", "11min"], "`--grace 11min` is out of bounds",
                "write a duration from 0 s to 10 min"
            ),
            (
                ["run", "a.b", "--budget", "1s", "--budget", "2s"], "`--budget` was given twice",
                "curfew help run"
            ),
            (["run", "a.b", "-x"], "`curfew run` has no option `-x`", "curfew help run"),
            (["plugins", "--json=yes"], "`--json` takes no value", "curfew help plugins"),
            (["--jason"], "`curfew` has no option `--jason`", "curfew help"),
            (
                ["run", "a.b", "--plugins", ""], "the value of `--plugins` is empty",
                "write `--plugins DIR`"
            ),
            (
                ["plugins", "--plugins="], "the value of `--plugins` is empty",
                "write `--plugins DIR`"
            ),
            (
                ["run", "a.b", "--grace="], "the value of `--grace` is empty",
                "write `--grace TIME`"
            ),
            (
                ["run", "a.b", "--payload", "@"], "`--payload @` names no file",
                "write `--payload @FILE`; to pass the text @ itself, use `--payload -`"
            ),
            (
                ["simulate", "a.b"] + Array(repeating: "wait", count: 1_000),
                "`curfew simulate` takes at most 1,000 arguments, and these are 1,001",
                "write `curfew simulate IDENTIFIER STEP…`"
            ),
            (
                ["settings"] + Array(repeating: "a", count: 10_000),
                "`curfew settings` takes at most 2 arguments, and these are 10,000",
                "write `curfew settings [WORD…]`"
            ),
            (
                ["lint"] + Array(repeating: "a", count: 10_001),
                "`curfew lint` takes at most 10,000 arguments, and these are 10,001",
                "write `curfew lint PATH…`"
            ),
            (
                ["run", "a.b", "--budget", "0"], "`0` is not a duration",
                "write a duration from 1 ms to 24 h: `--budget 30s`"
            ),
            (
                ["run", "a.b", "--budget", "9999999999s"],
                "`--budget 9999999999s` is out of bounds",
                "write a duration from 1 ms to 24 h, with nine digits before the point at most"
            ),
            (["run", ""], "an argument of `curfew run` is empty", "write `curfew run IDENTIFIER`"),
            (
                ["lint", "a", ""], "an argument of `curfew lint` is empty",
                "write `curfew lint PATH…`"
            ),
            ([""], "the name of the command is empty", "curfew help"),
            (["help", "lnit"], "there is no command `lnit`", "did you mean `lint`?"),
        ] as [([String], String, String)])
    func wrong(words: [String], message: String, help: String) throws {
        let run = try ChildProcess.run(
            CommandRun.program, words, environment: CommandRun.environment)
        #expect(run.ending == .exited(2))
        #expect(run.output.isEmpty)
        #expect(
            run.errorOutput.hasPrefix("error: \(message)\n  = help: \(help)\n"),
            "\(run.errorOutput)")
    }

    @Test("nothing at all is answered with help, as an error")
    func nothing() throws {
        let run = try CommandRun()
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("usage: curfew COMMAND"))
    }

    @Test("help lists every command, and each explains itself in three ways")
    func help() throws {
        let all = try CommandRun("--help")
        #expect(all.code == 0)
        for name in try CommandFaces.commands() {
            #expect(all.output.contains("\n  \(name) "))
            let texts = try [
                CommandRun("help", name), CommandRun(name, "--help"), CommandRun(name, "-h"),
                CommandRun("--help", name),
            ]
            #expect(texts.allSatisfy { $0.code == 0 && $0.output == texts[0].output })
            #expect(texts[0].output.contains("usage: curfew \(name)"))
        }
    }

    @Test("the version, as text and as JSON")
    func version() throws {
        let text = try CommandRun("version")
        #expect(
            text.output.wholeMatch(of: /curfew [0-9]+\.[0-9]+\.[0-9]+ \(plugin ABI [0-9]+\)\n/)
                != nil)
        #expect(try CommandRun("--version").output == text.output)
        let document = try CommandRun("version", "--json").document()
        let version = try #require(document["version"] as? String)
        #expect(text.output.hasPrefix("curfew \(version) "))
        #expect(document["abi"] as? Int == 0)
    }

    @Test("words after -- are no options, and an error quotes them harmlessly")
    func dashes() throws {
        let run = try CommandRun("run", "--", "--budget\u{1B}[2J")
        #expect(run.code == 127)
        #expect(run.errors.hasPrefix("error: there is no program `--budget\\u{1b}[2J`\n"))
    }
}
