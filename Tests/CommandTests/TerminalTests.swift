// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew at a terminal")
struct TerminalTests {
    @Test("80 columns: one line is drawn over, and nothing is wider than the screen")
    func bar() throws {
        let typist = try Typist(
            CommandRun.program, "run", CommandRun.errand("waits"), "--budget", "400ms")
        #expect(typist.code == 124)
        #expect(typist.screen.contains("\r\u{1B}[36m"))
        let bars = typist.lines.filter { $0.contains("█████░░░░░░░░░░░░░░░  25 %  ") }
        #expect(bars.count > 1, "\(typist.lines)")
        #expect(bars.allSatisfy { $0.hasSuffix("s left   12 of 48 files") || $0.contains("grace") })
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
            columns: 40, CommandRun.program, "run", CommandRun.errand("waits"), "--budget", "300ms")
        let live = typist.lines.filter { $0.contains(" left") }
        #expect(!live.isEmpty)
        #expect(live.allSatisfy { $0.count < 40 }, "\(live)")
        let ascii = try Typist(
            environment: ["LC_ALL": "C"], CommandRun.program, "run", CommandRun.errand("waits"),
            "--budget", "300ms")
        #expect(ascii.lines.contains { $0.contains("#####...............  25 %") })
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
            "--budget", "300ms", more: option)
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
        "help fits 80 columns",
        arguments: ["", "run", "plugins", "inspect", "lint", "explain", "version", "help"])
    func help(command: String) throws {
        let typist = try Typist(
            CommandRun.program, "help", more: command.isEmpty ? [] : [command])
        #expect(typist.code == 0)
        #expect(typist.lines.count > 3)
        #expect(typist.lines.allSatisfy { $0.count <= 80 }, "\(typist.lines)")
    }

    @Test("the list of plugins fits 80 columns")
    func plugins() throws {
        let typist = try Typist(CommandRun.program, "plugins")
        #expect(typist.lines.count > 5)
        #expect(typist.lines.allSatisfy { $0.count <= 80 }, "\(typist.lines)")
    }
}
