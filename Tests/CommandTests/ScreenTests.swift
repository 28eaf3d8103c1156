// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Every screen, as a person sees it")
struct ScreenTests {
    /// Lines that are wider than the terminal, but for those that are to be copied, and those with
    /// a word that fits nowhere.
    private static func wide(_ typist: Typist, _ columns: Int) -> [String] {
        typist.lines.filter { line in
            line.count > columns && !line.contains("curfew ") && !line.contains("--")
                && !line.split(separator: " ").contains { $0.count > columns / 2 - 4 }
        }
    }

    @Test(
        "nothing is wider than the terminal",
        arguments: [
            ["plugins"], ["inspect", "org.curfew.test.patient"], ["explain"],
            ["explain", "CF0704"],
            ["paths"], ["version"], ["run", "org.example.nothing"], ["rum"],
            ["run", CommandRun.errand("works")], ["run", CommandRun.errand("fails")],
            ["run", "org.curfew.test.patient"], ["run", "org.curfew.test.refuses"],
            ["lint", CommandRun.plugins[0]], ["completions", "bush"],
            ["run", "a", "--payload", "@/nowhere"],
        ])
    func fits(words: [String]) throws {
        for columns in [80, 40] {
            let typist = try Typist(columns: columns, CommandRun.program, more: words)
            #expect(typist.lines.count > 0)
            #expect(Self.wide(typist, columns).isEmpty, "\(columns): \(typist.lines)")
        }
    }

    @Test("a narrow terminal lists plugins one below another")
    func narrow() throws {
        let typist = try Typist(columns: 40, CommandRun.program, "plugins")
        let start = try #require(typist.lines.firstIndex(of: "org.curfew.test.patient"))
        #expect(typist.lines[start + 1] == "  app-refresh, budget 50 ms, grace 2 s,")
        #expect(typist.lines[start + 2] == "  version 1.0.0")
        #expect(typist.lines[start + 3].hasSuffix("/patient"))
        #expect(typist.lines[start + 3].count <= 40)
    }

    @Test("nothing found leads to where it was looked for")
    func none() throws {
        let run = try CommandRun(
            "plugins", environment: ["CURFEW_PLUGIN_PATH": "/nowhere", "HOME": "/nowhere"])
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == """
                no plugin was found in /nowhere
                  = help: curfew plugins --plugins DIR
                          curfew paths

                """)
    }

    @Test("a crash at a terminal does not leave the bar behind")
    func crash() throws {
        let plugin = BuiltProducts.testPluginDirectory("violations/aborts")
        let typist = try Typist(
            CommandRun.program, "run", "org.curfew.violation.aborts", "--plugin", plugin,
            "--isolation", "thread")
        #expect(typist.code == 128 + SIGABRT)
        #expect(typist.screen.contains("\r\u{1B}[K\u{1B}[1;31merror\u{1B}[0m: the code of"))
    }

    @Test("the bar of a run whose events go to standard output is on the terminal all the same")
    func log() throws {
        let typist = try Typist(
            CommandRun.program, "run", CommandRun.errand("waits"), "--budget", "900ms",
            "--event-log", "-")
        #expect(typist.code == 124)
        #expect(typist.lines.contains { $0.contains(" s left   25 %") })
        #expect(typist.lines.contains { $0.hasPrefix(#"{"time":"#) })
    }
}
