// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Parser, help, manual and completions know the same")
struct OneTableTests {
    private static func refusal(_ words: [String]) throws -> String {
        let run = try ChildProcess.run(
            CommandRun.program, words, environment: CommandRun.environment)
        #expect(run.ending == .exited(2), "\(words): \(run)")
        return run.errorOutput
    }

    @Test("commands")
    func commands() throws {
        let commands = try CommandFaces.commands()
        #expect(commands.count > 5 && commands.contains("run"))
        let manual = try CommandFaces.terms("COMMANDS", ofPage: nil).map {
            String($0.dropFirst("curfew ".count).prefix { $0 != " " })
        }
        #expect(manual == commands)
        for shell in ShellTab.shells {
            #expect(try ShellTab.words(shell, "curfew ") == commands.sorted(), "\(shell)")
            #expect(try ShellTab.words(shell, "curfew help ") == commands.sorted(), "\(shell)")
        }
        let files = try TemporaryDirectory()
        #expect(try CommandRun("man", "--into", files.path).code == 0)
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: files.path))
                == Set(["curfew.1"] + commands.map { "curfew-\($0).1" }))
        for command in commands {
            #expect(try CommandRun(command, "--help").code == 0)
            for other in [String(command.dropLast()), command + "x", "-" + command] {
                #expect(try OneTableTests.refusal([other]).hasPrefix("error: "))
            }
        }
    }

    @Test("the options of each command, and those of the program")
    func options() throws {
        let commands: [String?] = [nil] + (try CommandFaces.commands())
        let all = try Set(commands.flatMap { try CommandFaces.options($0) })
        #expect(all.contains { $0.name == "--budget" && $0.value == "TIME" })
        for (number, command) in commands.enumerated() {
            let options = try CommandFaces.options(command)
            let names = Set(options.map(\.name))
            #expect(names.contains("--help"))
            try parses(options, command, number, all)
            let manual = try CommandFaces.terms("OPTIONS", ofPage: command)
            #expect(
                Set(manual)
                    == Set(
                        options.map { option in
                            (option.letter.map { $0 + ", " } ?? "") + option.name
                                + (option.value.isEmpty ? "" : " " + option.value)
                        }), "\(command ?? "")")
            let line = "curfew " + (command.map { $0 + " " } ?? "") + "--"
            // All of them ask the program itself: in turn they are enough.
            for (index, shell) in ShellTab.shells.enumerated()
            where WholeMatrix.isWanted || index == number % ShellTab.shells.count {
                let offered = try ShellTab.words(shell, line)
                #expect(offered == names.sorted(), "\(shell): \(line)")
            }
        }
    }

    /// The parser takes these options, each with a value or without, and no other. Each is given in
    /// a way that is wrong, so that nothing is run. Options of others, and letters, are tried in turn.
    private func parses(
        _ options: Set<CommandFaces.Option>, _ command: String?, _ number: Int,
        _ all: Set<CommandFaces.Option>
    ) throws {
        let words = command.map { [$0] } ?? []
        for option in options {
            let refusal = try OneTableTests.refusal(
                words + [option.value.isEmpty ? option.name + "=x" : option.name])
            let reason = option.value.isEmpty ? "takes no value" : "lacks its value"
            #expect(refusal.hasPrefix("error: `\(option.name)` \(reason)\n"), "\(words)")
        }
        let names = Set(options.map(\.name))
        for (index, other) in Set(all.map(\.name)).sorted().enumerated()
        where !names.contains(other) && WholeMatrix.has(index, number) {
            #expect(try OneTableTests.refusal(words + [other]).contains("has no option `\(other)`"))
        }
        let letters = Set(options.compactMap(\.letter))
        for (index, letter) in "abcdefghijklmnopqrstuvwxyz".map({ "-\($0)" }).enumerated()
        where !letters.contains(letter) && WholeMatrix.has(index, number) {
            #expect(
                try OneTableTests.refusal(words + [letter]).contains("has no option `\(letter)`"))
        }
    }

    @Test("exit statuses, and the variables that are read")
    func surroundings() throws {
        for command in try CommandFaces.commands() {
            let help = CommandFaces.lines("exit status", try CommandRun("help", command).output)
            let listed = help.compactMap { $0.firstMatch(of: #/^ +([0-9]+(?:\+N)?)  /#) }.map {
                String($0.output.1)
            }
            #expect(listed == (try CommandFaces.terms("EXIT STATUS", ofPage: command)))
            #expect(listed.contains("0") && listed.contains("2"))
        }
        let manual = try CommandFaces.terms("ENVIRONMENT", ofPage: nil).flatMap {
            $0.split(separator: ", ").map(String.init)
        }
        let sources = BuiltProducts.packageRoot + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources))
        var read: Set<String> = []
        for case let file as String in files
        where file.hasSuffix(".swift") && file != "curfew/ProgramInputs.swift" {
            let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
            let known =
                /"(CURFEW_PLUGIN_[A-Z_]+|CURFEW_STORE|CURFEW_SOCKET|CURFEW_TRUST|TRACEPARENT|XDG_[A-Z_]+|HOME|TMPDIR|NO_COLOR|TERM|LC_[A-Z]+|LANG)"/
            read.formUnion(text.matches(of: known).map { String($0.output.1) })
        }
        #expect(Set(manual) == read)
    }
}
