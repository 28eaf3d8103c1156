// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What the program does not take")
struct RefusedInputTests {
    private static func shell(_ script: String, in directory: String? = nil) throws -> ChildProcess
    {
        try ChildProcess.run(
            "/bin/sh", ["-c", script, CommandRun.program], environment: CommandRun.environment,
            input: "", directory: directory, limit: .seconds(60))
    }

    @Test("bytes that are not UTF-8 are no argument", arguments: ["--payload ", "--payload="])
    func bytes(_ option: String) throws {
        let run = try RefusedInputTests.shell(#"exec "$0" run a.b \#(option)"$(printf 'x\377')""#)
        #expect(run.ending == .exited(2))
        #expect(run.errorOutput.contains("is not UTF-8"))
        #expect(run.errorOutput.contains("--payload @FILE or --payload -"))
    }

    @Test(
        "a path in a variable that is not UTF-8 is refused, not repaired",
        arguments: ["CURFEW_STORE", "XDG_STATE_HOME", "HOME", "TMPDIR"])
    func variables(_ name: String) throws {
        let files = try TemporaryDirectory()
        let run = try RefusedInputTests.shell(
            #"\#(name)="$PWD/$(printf 'u\377')" exec "$0" submit org.example.a"#, in: files.path)
        #expect(run.ending == .exited(2))
        #expect(run.errorOutput.hasPrefix("error: the variable \(name) is not UTF-8: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
    }

    @Test("a separator counts, whatever combining mark comes after it")
    func marks() throws {
        let desk = try RequestDesk()
        try desk.files.write("from a file", to: "\u{301}p")
        let run = try desk.run(
            "submit", "org.example.a", "--payload", "@\u{301}p", "--at", "2190-01-01T00:00Z")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try desk.run("show", "1").output.contains("11 bytes"))
        // What is to be pasted is one word for a shell.
        let store = desk.files.path("it'\u{301}s")
        let other = try CommandRun(
            "submit", "org.example.a", "--at", "2190-01-01T00:00Z", "--store", store)
        #expect(other.code == 0)
        let why = try CommandRun("why", "1", "--store", store)
        let word = desk.files.path(#"it'\''"# + "\u{301}s")
        #expect((why.output + why.errors).utf8.contains("--store '\(word)'".utf8), "\(why.process)")
    }

    @Test("a relative path in CURFEW_STORE is below the working directory")
    func relativeStore() throws {
        let files = try TemporaryDirectory()
        let name = "curfew-test-\(getpid())"
        let run = try RefusedInputTests.shell(
            #"CURFEW_STORE=\#(name)/deep/store exec "$0" submit org.example.a"#, in: files.path)
        #expect(run.ending == .exited(0), "\(run)")
        #expect(
            FileManager.default.fileExists(atPath: files.path("\(name)/deep/store/requests.db")))
        #expect(!FileManager.default.fileExists(atPath: "/\(name)"))
    }

    @Test("a limit of file sizes is told, and ends no command")
    func fileSizes() throws {
        let files = try TemporaryDirectory()
        // Those of the shell have 512 bytes, and what is told has to go into a file, too.
        for blocks in [4, 8, 40] {
            let run = try RefusedInputTests.shell(
                #"ulimit -f \#(blocks); exec "$0" submit org.example.a --store store\#(blocks)"#,
                in: files.path)
            #expect(run.ending == .exited(6), "\(blocks): \(run)")
            #expect(run.errorOutput.contains("ulimit -f"), "\(blocks): \(run)")
        }
    }

    @Test("a plugin that cannot be loaded for want of descriptors is not said to be linked badly")
    func linkAdvice() throws {
        let plugin = BuiltProducts.testPluginDirectory("patient")
        for count in 4...40 {
            let run = try RefusedInputTests.shell(
                #"ulimit -n \#(count); exec "$0" run \#(CommandRun.errand("succeeds")) --plugin '\#(plugin)'"#
            )
            let text = run.output + run.errorOutput
            #expect(!text.contains("-Wl,-z,defs"), "\(count): \(text)")
        }
    }

    @Test(
        "copies on a file system without the right to execute are told to be there",
        .enabled(if: (try? ChildProcess.run("unshare", ["-rm", "true"]))?.succeeded ?? false))
    func noExecute() throws {
        let files = try TemporaryDirectory()
        let plugin = BuiltProducts.testPluginDirectory("patient")
        try FileManager.default.createDirectory(
            atPath: files.path("copies"), withIntermediateDirectories: false)
        let script = #"""
            mount -t tmpfs -o noexec,mode=700 none copies
            CURFEW_PLUGIN_COPIES=$PWD/copies "$0" inspect --load '\#(plugin)'
            ls copies
            """#
        let run = try ChildProcess.run(
            "unshare", ["-rm", "/bin/sh", "-c", script, CommandRun.program],
            environment: CommandRun.environment, input: "", directory: files.path,
            limit: .seconds(60))
        let text = (run.output + run.errorOutput).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        #expect(text.contains("noexec"), "\(run)")
        #expect(!text.contains("-Wl,-z,defs"), "\(run)")
        #expect(!text.contains("libpatient.so-"), "\(run)")
    }

    @Test("a process with few descriptors is told so")
    func descriptors() throws {
        let plugin = BuiltProducts.testPluginDirectory("patient")
        let run = try RefusedInputTests.shell(
            #"ulimit -n 20; exec "$0" inspect --load '\#(plugin)'"#)
        #expect(run.ending == .exited(125))
        #expect(run.errorOutput.contains("ulimit -n 256"))
    }

    @Test("a named pipe without a writer, and a manifest that is too large")
    func files() throws {
        let files = try TemporaryDirectory()
        let pipe = try RefusedInputTests.shell(#"mkfifo f; exec "$0" lint f"#, in: files.path)
        #expect(pipe.ending == .exited(1))
        #expect(pipe.output.contains("without a writer"))
        try files.write(String(repeating: " ", count: 1_100_000), to: "large.json")
        let large = try CommandRun("lint", files.path("large.json"))
        #expect(large.output.contains("more than 262144 bytes"), "\(large.output)")
    }

    @Test("lint and inspect refuse what a host refuses before any code runs")
    func loading() throws {
        let files = try TemporaryDirectory()
        let plugin = BuiltProducts.testPluginDirectory("patient")
        let copy = files.path("patient")
        try FileManager.default.copyItem(atPath: plugin, toPath: copy)
        #expect(try CommandRun("lint", copy).code == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o757], ofItemAtPath: copy)
        for command in ["lint", "inspect"] {
            let run = try CommandRun(command, copy)
            #expect(run.code == 1)
            #expect(run.output.contains("can be changed by everyone"), "\(run.output)")
        }
    }
}
