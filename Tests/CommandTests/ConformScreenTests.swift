// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew conform at a terminal")
struct ConformScreenTests {
    @Test("nothing is wider than the terminal, but what is to be copied", arguments: [80, 60])
    func width(columns: Int) throws {
        for (twin, words) in [
            ("elf-ident", ["--level", "1"]), ("one-task-done+aborts", ["--only", "one-task-done"]),
            ("cooperative-stop", ["--only", "cooperative-stop"]),
            ("fork-hooks", ["--only", "fork-hooks"]), ("good", ["--only", "reentrancy"]),
        ] {
            let typist = try Typist(
                columns: columns, CommandRun.program, "conform", Twin(twin).path, more: words)
            #expect(typist.lines.count > 2)
            let wide = typist.lines.filter { $0.count > columns && !$0.contains("curfew ") }
            #expect(wide.isEmpty, "\(columns): \(wide)")
        }
    }

    @Test("the list fits as well, also on a narrow one", arguments: [80, 60, 40])
    func list(columns: Int) throws {
        let list = try Typist(columns: columns, CommandRun.program, "conform", "--list")
        let wide = list.lines.filter { $0.count > columns }
        #expect(list.lines.count > 67 && wide.isEmpty, "\(columns): \(wide)")
    }

    @Test("a line is drawn over that tells how far it is, and none stays")
    func live() throws {
        let typist = try Typist(
            CommandRun.program, "conform", "--isolation", "thread", Twin("elf-ident").path,
            "--level", "1")
        #expect(typist.code == 1)
        let live = "\r\u{1B}[K\u{1B}[2m     ····  [1 of 28]  manifest-parses\u{1B}[0m\r\u{1B}[K"
        #expect(typist.screen.contains(live), "\(typist.screen)")
        #expect(typist.screen.contains("[28 of 28]"))
        // Whatever is drawn over is taken away before the next line.
        for drawn in typist.screen.matches(of: /····[^\r\n]*(\r\u{1B}\[K|\n|\r\n)/) {
            #expect(drawn.output.1 == "\r\u{1B}[K")
        }
        let last = try #require(typist.lines.last)
        #expect(last.contains("again:  curfew conform "))
    }

    @Test("a long text stands below its case, a short one beside it")
    func texts() throws {
        let long = try Typist(
            CommandRun.program, "conform", Twin("one-task-done+aborts").path, "--only",
            "one-task-done")
        let start = try #require(long.lines.firstIndex { $0.hasSuffix("] one-task-done") })
        #expect(long.lines[start].hasPrefix("    CRASH ["))
        #expect(
            Array(long.lines[(start + 1)...].prefix(2)) == [
                #"                      died of SIGABRT while it ran org.example.twin, example"#,
                #"                      "plain""#,
            ], "\(long.lines)")
        #expect(long.lines[start + 3].hasPrefix("                      = in libtwin.so+0x"))
        #expect(long.lines[start + 4] == "                      = curfew explain CF0830")
        let short = try Typist(
            CommandRun.program, "conform", Twin("elf-ident").path, "--level", "1")
        #expect(
            short.lines.contains {
                $0.hasSuffix("] elf-ident                 libtwin.so is not an ELF file")
            })
    }

    @Test("colours say how a case came out")
    func colours() throws {
        let typist = try Typist(
            CommandRun.program, "conform", Twin("elf-ident").path, "--level", "1")
        #expect(typist.screen.contains("\u{1B}[1;31m     FAIL\u{1B}[0m ["))
        #expect(typist.screen.contains("     PASS\u{1B}[0m ["))
        #expect(typist.screen.contains("\u{1B}[36m= curfew explain CF0806\u{1B}[0m"))
        #expect(typist.screen.contains("\u{1B}[36mcurfew conform "))
    }

    @Test(
        "NO_COLOR, TERM=dumb and --no-color: no escape sequence, nothing drawn over",
        arguments: [
            (["NO_COLOR": "1"], []), (["TERM": "dumb"], []), (["TERM": ""], []),
            ([:], ["--no-color"]),
        ] as [([String: String], [String])])
    func plain(environment: [String: String], option: [String]) throws {
        let typist = try Typist(
            environment: environment, CommandRun.program, "conform", Twin("elf-ident").path,
            "--level", "1", more: option)
        #expect(typist.code == 1)
        #expect(!typist.screen.contains("\u{1B}"))
        #expect(!typist.screen.replacing("\r\n", with: "\n").contains("\r"))
        #expect(!typist.screen.contains("····"))
        #expect(typist.lines.contains { $0.contains("     FAIL [") })
    }

    @Test("Ctrl-C ends it, and the line that was drawn over does not hide the prompt")
    func interrupted() throws {
        let typist = try Typist(
            steps: [("[1 of 1]", "^C")], CommandRun.program, "conform",
            Twin("dlopen-ok+constructor-hangs").path, "--only", "dlopen-ok")
        #expect(typist.code == 130)
        #expect(!typist.screen.contains("Summary"))
        #expect(typist.screen.contains("  ended:  by a signal, with 1 run still to come"))
    }
}
