// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew at a terminal")
struct TerminalTests {
    @Test("80 columns: one line is drawn over, and nothing is wider than the screen")
    func bar() throws {
        let typist = try Typist(
            CommandRun.program, "run", CommandRun.errand("waits"), "--budget", "900ms")
        #expect(typist.code == 124)
        #expect(typist.screen.contains("\r\u{1B}[36m"))
        let bars = typist.lines.filter { $0.contains(#/ [█▏▎▍▌▋▊▉]+░* /#) }
        #expect(bars.count > 1, "\(typist.lines)")
        let bar = /^ +[0-9.]+ s  [█▏▎▍▌▋▊▉░]{20}  0\.[0-9] s left   25 %  12 of 48 files$/
        #expect(bars.contains { $0.wholeMatch(of: bar) != nil }, "\(bars)")
        // What is left grows less.
        let lengths = bars.filter { $0.contains("left") }.map { line in
            line.count { "█▏▎▍▌▋▊▉".contains($0) }
        }
        #expect(lengths == lengths.sorted(by: >) && lengths.first != lengths.last, "\(bars)")
        #expect(typist.lines.allSatisfy { $0.count <= 80 }, "\(typist.lines)")
        #expect(typist.lines.contains { $0.hasSuffix(" s  progress   25 %  12 of 48 files") })
        #expect(typist.lines.contains { $0.hasPrefix("EXPIRED  in ") })
        #expect(typist.screen.contains("\u{1B}[1;33mEXPIRED\u{1B}[0m"))
    }

    @Test("what a task says is wrapped between its words")
    func wrapped() throws {
        let said = String(repeating: "word ", count: 40) + "end"
        let typist = try Typist(
            CommandRun.program, "run", CommandRun.errand("echoes"), "--payload", said)
        let start = try #require(typist.lines.firstIndex { $0.hasPrefix("result: word word") })
        let shown = typist.lines[start...]
        #expect(shown.count == 3)
        #expect(shown.allSatisfy { $0.count <= 80 })
        #expect(shown.dropFirst().allSatisfy { $0.hasPrefix("        word word") })
        #expect(shown.last?.hasSuffix(" end") == true)
    }

    @Test("a narrow terminal, and one that knows ASCII only")
    func narrow() throws {
        let typist = try Typist(
            columns: 40, CommandRun.program, "run", CommandRun.errand("waits"), "--budget", "900ms")
        let live = typist.lines.filter { $0.contains(" left") }
        #expect(!live.isEmpty)
        #expect(live.allSatisfy { $0.count < 40 }, "\(live)")
        let ascii = try Typist(
            environment: ["LC_ALL": "C"], CommandRun.program, "run", CommandRun.errand("waits"),
            "--budget", "900ms")
        #expect(ascii.lines.contains { $0.contains(##/ #+\.+  0\.[0-9] s left   25 %/##) })
    }

    @Test(
        "NO_COLOR, TERM=dumb and --no-color: no escape sequence, nothing drawn over",
        arguments: [
            (["NO_COLOR": "1"], []), (["TERM": "dumb"], []), (["TERM": ""], []),
            ([:], ["--no-color"]),
        ] as [([String: String], [String])])
    func plain(environment: [String: String], option: [String]) throws {
        let typist = try Typist(
            environment: environment, CommandRun.program, "run", CommandRun.errand("waits"),
            "--budget", "900ms", more: option)
        #expect(typist.code == 124)
        #expect(!typist.screen.contains("\u{1B}"))
        #expect(!typist.screen.replacing("\r\n", with: "\n").contains("\r"))
        #expect(typist.lines.contains { $0.hasSuffix(" s  progress   25 %  12 of 48 files") })
    }

    @Test("an empty NO_COLOR means nothing")
    func emptyNoColor() throws {
        let typist = try Typist(environment: ["NO_COLOR": ""], CommandRun.program, "help")
        #expect(typist.screen.contains("\u{1B}[1m"))
    }

    @Test(
        "help fits the terminal",
        arguments: [80, 40])
    func help(columns: Int) throws {
        for command in [[]] + (try CommandFaces.commands().map { [$0] }) {
            let typist = try Typist(columns: columns, CommandRun.program, "help", more: command)
            #expect(typist.code == 0)
            #expect(typist.lines.count > 3)
            // What can be copied is not broken.
            let lines = typist.lines.filter { !$0.contains("curfew") && !$0.contains("PREFIX") }
            #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        }
    }

    @Test("the list of plugins fits 80 columns")
    func plugins() throws {
        let typist = try Typist(CommandRun.program, "plugins")
        #expect(typist.lines.count > 5)
        #expect(typist.lines.allSatisfy { $0.count <= 80 }, "\(typist.lines)")
    }
}
