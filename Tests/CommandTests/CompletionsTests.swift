// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew completions")
struct CompletionsTests {
    @Test("commands, identifiers of handlers, codes and shells", arguments: ShellTab.shells)
    func words(shell: String) throws {
        let offered = { try ShellTab.words(shell, $0) }
        #expect(try offered("curfew ru") == ["run"])
        #expect(try offered("curfew help expl") == ["explain"])
        #expect(try offered("curfew completions ") == ["bash", "fish", "zsh"])
        #expect(try offered("curfew new feed --lang ") == ["c", "c++", "call", "rust", "swift"])
        #expect(
            try offered("curfew run org.curfew.test.errands.w")
                == [CommandRun.errand("waits"), CommandRun.errand("works")])
        #expect(try offered("curfew explain CF0704") == ["CF0704"])
        #expect(try offered("curfew explain undeclared-e") == ["undeclared-event"])
        #expect(
            try offered("curfew conform . --only fuzz-") == ["fuzz-calls", "fuzz-payload"])
        #expect(try offered("curfew conform . --exclude handlers-") == ["handlers-declared"])
        #expect(try offered("curfew conform . --only CF").isEmpty)
        #expect(try offered("curfew inspect org.curfew.test.pa") == ["org.curfew.test.patient"])
    }

    @Test("options whose values are fixed words", arguments: ShellTab.shells)
    func fixedWords(shell: String) throws {
        let offered = { try ShellTab.words(shell, $0) }
        let replacements = ["add", "keep", "replace"]
        #expect(try offered("curfew submit a.b --on-pending ") == replacements)
        let lead = shell == "bash" ? "" : "--on-pending="
        #expect(try offered("curfew submit a.b --on-pending=") == replacements.map { lead + $0 })
        #expect(try offered("curfew submit a.b --catch-up o") == ["one"])
        #expect(try offered("curfew simulate a.b --priority ") == ["high", "low", "normal"])
        #expect(try offered("curfew submit a.b --kind cont") == ["continued-processing"])
        #expect(try offered("curfew conform . --level ") == ["1", "2", "3"])
        #expect(try offered("curfew settings enab").count == 3)
        #expect(try offered("curfew submit a.b --needs n") == ["network"])
        #expect(try offered("curfew submit a.b --needs network,") == ["network,external-power"])
    }

    @Test("what was given once is not offered again, unless it may be", arguments: ShellTab.shells)
    func given(shell: String) throws {
        let offered = try ShellTab.words(shell, "curfew run a.b --json --budget 3s --plugins x --")
        #expect(!offered.contains("--json"))
        #expect(!offered.contains("--budget"))
        #expect(offered.contains("--plugins") && offered.contains("--grace"))
        // A value is no option, and after -- there is none.
        #expect(try ShellTab.words(shell, "curfew run --budget ").isEmpty)
        #expect(try !ShellTab.words(shell, "curfew explain -- --").contains("--json"))
    }

    @Test("directories and files, also behind = and @", arguments: ShellTab.shells)
    func files(shell: String) throws {
        let files = try TemporaryDirectory()
        try files.write("", to: "some/thing")
        try files.write("", to: "sort.json")
        let offered = { try ShellTab.words(shell, $0, directory: files.path) }
        // With a stroke at its end, or without: each shell has its own way.
        let directories = try offered("curfew run --plugins so")
        #expect(directories.map { $0.replacing("/", with: "") } == ["some"])
        let lead = shell == "bash" ? "" : "--plugins="
        let joined = try offered("curfew run --plugins=so")
        #expect(joined.map { $0.replacing("/", with: "") } == [lead + "some"])
        let at = shell == "bash" ? "" : "@"
        #expect(try offered("curfew run --payload @sor") == [at + "sort.json"])
        #expect(try offered("curfew run --payload sor").isEmpty)
        #expect(try offered("curfew lint sor") == ["sort.json"])
    }

    @Test("a program and its arguments after --", arguments: ShellTab.shells)
    func program(shell: String) throws {
        let files = try TemporaryDirectory()
        try files.write("", to: "sort.json")
        let offered = { try ShellTab.words(shell, $0, directory: files.path) }
        #expect(try offered("curfew submit --cron '0 3 * * *' -- mktem") == ["mktemp"])
        #expect(try offered("curfew run -- mktem") == ["mktemp"])
        #expect(try offered("curfew run -- cat sor") == ["sort.json"])
        #expect(try offered("curfew run -- cat --js").filter { $0.contains("json") } == [])
    }

    @Test("handlers are looked for where the line says", arguments: ShellTab.shells)
    func places(shell: String) throws {
        let plugin = BuiltProducts.testPluginDirectory("patient")
        for option in ["--plugins \(plugin)", "--plugin=\(plugin)"] {
            #expect(
                try ShellTab.words(shell, "curfew run \(option) or") == ["org.curfew.test.patient"])
        }
        #expect(try ShellTab.words(shell, "curfew run --plugins /nowhere org").isEmpty)
    }

    @Test("a bash at a terminal writes the rest of the word")
    func terminal() throws {
        let typist = try Typist(
            steps: [
                ("ready$ ", "type source <(curfew completions bash)\n"),
                ("ready$ ", "type curfew version --js\t| tr a-z A-Z; exit\n"),
            ],
            environment: [
                "PATH": BuiltProducts.directory + ":" + (CommandRun.environment["PATH"] ?? "")
            ], "env", "PS1=ready$ ", "bash", "--norc", "-i")
        #expect(typist.screen.contains(#"{"VERSION":"#), "\(typist.screen)")
    }

    @Test("an unknown shell is refused")
    func unknown() throws {
        let run = try CommandRun("completions", "bsh")
        #expect(run.code == 2)
        #expect(
            run.errors == """
                error: there are no completions for the shell `bsh`
                  = help: did you mean `bash`?
                          write one of bash, zsh, fish

                """)
    }
}
