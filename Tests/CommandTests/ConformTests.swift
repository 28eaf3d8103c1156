// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew conform")
struct ConformTests {
    /// Standard output with `T` for each time and `N` for the seed.
    static func timeless(_ run: CommandRun) -> String {
        run.output.replacing(/\[ *[0-9]+\.[0-9]+s\]/, with: "[T]")
            .replacing(/seed [0-9]+/, with: "seed N")
    }

    @Test("a plugin without a fault passes every case of level 1")
    func good() throws {
        let run = try CommandRun(
            "conform", "--isolation", "thread", Twin("good").path, "--level", "1")
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let lines = ConformTests.timeless(run).split(separator: "\n")
        #expect(
            lines.first
                == "org.example.twin-plugin 1.0.0  ABI 0, 1 handler, 28 cases, seed N")
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("     PASS [T] ") })
        #expect(lines.last == "  Summary [T] 28 cases: 28 passed")
    }

    @Test("a failure is shown with its cause and with what to type; the rest is skipped in a line")
    func failure() throws {
        let path = Twin("elf-ident").path
        let run = try CommandRun("conform", "--isolation", "thread", path, "--level", "1")
        #expect(run.code == 1)
        #expect(
            ConformTests.timeless(run).hasSuffix(
                """
                     FAIL [T] elf-ident                 libtwin.so is not an ELF file
                                      = name the shared object that the linker wrote
                                      = curfew explain CF0806
                     SKIP [T] 22 cases                  need elf-ident to pass
                  Summary [T] 28 cases: 5 passed, 1 failed, 22 skipped
                  again:  curfew conform \(path) --only elf-ident

                """), "\(run.output)")
    }

    @Test(
        "a crash, a leak, a warning: how the process ended, and where a debugger begins",
        arguments: [
            (
                "one-task-done+crashes", "one-task-done", "CRASH",
                #"died of SIGSEGV while it ran org.example.twin, example "plain""#, "1 crashed", 1
            ),
            (
                "one-task-done+aborts", "one-task-done", "CRASH",
                #"died of SIGABRT while it ran org.example.twin, example "plain""#, "1 crashed", 1
            ),
            (
                "descriptors-and-children", "descriptors-and-children", "LEAK", "", "1 leaked", 1
            ),
            ("fork-hooks", "fork-hooks", "WARN", "", "1 with a warning", 0),
            ("dlopen-ok+constructor-exits", "dlopen-ok", "FAIL", "", "1 failed", 1),
        ] as [(String, String, String, String, String, Int32)])
    func endings(
        twin: String, name: String, word: String, text: String, summary: String, code: Int32
    ) throws {
        let path = Twin(twin).path
        let run = try CommandRun("conform", "--isolation", "thread", path, "--only", name)
        #expect(run.code == code)
        let shown = ConformTests.timeless(run)
        #expect(shown.contains(/(?m)^ +\Q\#(word)\E/.ignoresCase()) || shown.contains(word))
        #expect(shown.contains("\(word) [T] \(name) "), "\(shown)")
        #expect(text.isEmpty || shown.contains(text), "\(shown)")
        #expect(shown.contains("Summary [T] 1 case: 0 passed, \(summary)\n"), "\(shown)")
        let debug = "  debug:  gdb --args curfew conform \(path) --only \(name) --in-process\n"
        #expect(shown.hasSuffix(debug) == (code != 0), "\(shown)")
        // It would be what was typed.
        #expect(!shown.contains("again:"))
    }

    @Test("curfew run tells of a process that crashes once its task is over")
    func crashAfterwards() throws {
        let run = try CommandRun(
            "run", "org.example.twin", "--plugin", Twin("one-task-done+crashes-when-done").path,
            "--payload", "plain")
        #expect(run.code == 0, "\(run.process)")
        #expect(
            run.output.contains("after its task was over, its process ended by SIGSEGV at 0x0"),
            "\(run.process)")
    }

    @Test("a timeout is told with its limit")
    func timeout() throws {
        let run = try CommandRun(
            "conform", Twin("clean-exit+hangs").path, "--only", "clean-exit")
        #expect(run.code == 1)
        #expect(
            run.output.contains(#/  TIMEOUT \[ +[0-9.]+s\] clean-exit +did not come back within /#),
            "\(run.output)")
        #expect(run.output.contains(", and was killed\n"))
        #expect(run.output.contains("1 case: 0 passed, 1 timed out\n"))
    }

    @Test("without examples the unchecked rules are named, with advice")
    func examples() throws {
        let twin = try Twin { manifest in
            var handlers = manifest["handlers"] as? [[String: Any]] ?? []
            handlers[0]["examples"] = nil
            manifest["handlers"] = handlers
        }
        let run = try CommandRun(
            "conform", "--isolation", "thread", twin.path, "--only", "manifest-id", "--only",
            "one-task-done", "--only",
            "*-stop", "--only", "retire-while-busy")
        #expect(run.code == 0)
        #expect(
            ConformTests.timeless(run).hasSuffix(
                """
                     PASS [T] manifest-id
                     SKIP [T] one-task-done             no example in the manifest expects success
                     SKIP [T] 2 cases                   no example in the manifest expects slow
                                      cooperative-stop, retire-while-busy
                  Summary [T] 4 cases: 1 passed, 3 skipped
                  hint:   3 cases lack an example in the manifest; how to write one:
                          curfew explain one-task-done

                """), "\(run.output)")
    }

    @Test("nothing proven is no success")
    func nothing() throws {
        let run = try CommandRun(
            "conform", "--isolation", "thread", Twin("good").path, "--only", "reentrancy")
        #expect(run.code == 2)
        #expect(run.output.contains("1 case: 0 passed, 1 skipped\n"))
        #expect(
            run.output.hasSuffix("\n          nothing was checked, and so nothing is proven\n"))
    }

    @Test("another ABI: its own exit status, by the note of the library and by the manifest")
    func otherABI() throws {
        let note = try CommandRun("conform", Twin("abi-note+other").path, "--level", "1")
        #expect(note.code == 4)
        #expect(note.output.contains("was built for ABI 4711, this host speaks ABI 0"))
        let twin = try Twin { $0["abi"] = 4711 }
        let manifest = try CommandRun("conform", twin.path, "--level", "1")
        #expect(manifest.code == 4)
        #expect(manifest.output.contains("4711"))
        // A note that is missing is a fault like others.
        #expect(try CommandRun("conform", Twin("abi-note").path, "--level", "1").code == 1)
    }

    @Test("a kit that cannot work says so, and does not blame the plugin")
    func kit() throws {
        let good = Twin("good").path
        let run = try CommandRun(
            "conform", good, "--level", "1", environment: ["TMPDIR": "/nowhere"])
        #expect(run.code == 3)
        #expect(
            run.errors == """
                error: a directory to work in cannot be made in /nowhere: No such file or directory
                  = note: the plugin did not cause this

                """)
        let few = try ChildProcess.run(
            "sh", ["-c", "ulimit -n 40; exec \"$@\"", "sh", CommandRun.program, "conform", good],
            environment: CommandRun.environment)
        #expect(few.ending == .exited(3))
        #expect(few.errorOutput.contains("it needs descriptor 63"), "\(few)")
        #expect(few.errorOutput.hasSuffix("  = help: ulimit -n 256\n"))
        // A limit of processes is none for root.
        let user = ["setpriv", "--reuid=54321", "--clear-groups", "--inh-caps=-all"]
        if getuid() == 0, access(CommandRun.program, X_OK) == 0,
            try ChildProcess.run("env", user + ["test", "-x", CommandRun.program]).succeeded
        {
            let crowded = try ChildProcess.run(
                "env",
                user + ["prlimit", "--nproc=20", CommandRun.program, "conform", good],
                environment: CommandRun.environment)
            #expect(crowded.ending == .exited(3))
            #expect(crowded.errorOutput.contains(" threads can be started here, "), "\(crowded)")
            #expect(crowded.errorOutput.hasSuffix("  = help: ulimit -u 1024\n"))
        }
        let json = try CommandRun(
            "conform", good, "--json", environment: ["TMPDIR": "/nowhere"])
        #expect(json.code == 3 && json.output.isEmpty)
    }

    @Test("several plugins: one screen below the other, and the worst decides")
    func several() throws {
        let paths = [Twin("good"), Twin("manifest-id"), Twin("good")].map(\.path)
        let run = try CommandRun(
            "conform", paths[0], paths[1], paths[2], "--only", "manifest-id", "--only",
            "reentrancy")
        #expect(run.code == 1)
        #expect(run.output.matches(of: /Summary/).count == 3)
        // What was not looked at does not hide what failed.
        let both = try CommandRun(
            "conform", paths[1], Twin("good").path, "--only", "reentrancy", "--only", "manifest-i*",
            "--exclude", "manifest-parses")
        #expect(both.code == 1)
        let foreign = try CommandRun(
            "conform", Twin("abi-note+other").path, paths[1], "--only", "manifest-id")
        #expect(foreign.code == 4)
    }

    @Test("the manifest and the library stand for the plugin, also without a directory before them")
    func places() throws {
        let good = Twin("good").path
        for name in ["manifest.json", "libtwin.so", "./", "."] {
            let run = try CommandRun("conform", name, "--only", "manifest-id", directory: good)
            #expect(run.code == 0, "\(name): \(run.errors)")
            #expect(run.output.contains("1 case: 1 passed"))
        }
        let run = try CommandRun("conform", good + "/libtwin.so", "--only", "elf-ident")
        #expect(run.code == 0)
    }

    @Test("nothing is left behind: no directory, no process, also where the kit is told to stop")
    func leftovers() throws {
        let files = try TemporaryDirectory()
        let environment = ["TMPDIR": files.path]
        let run = try CommandRun(
            "conform", Twin("one-task-done+crashes").path, "--only", "one-task-done",
            environment: environment)
        #expect(run.code == 1)
        let typist = try Typist(
            steps: [("dlopen-ok", "^C")], environment: environment, CommandRun.program, "conform",
            Twin("dlopen-ok+constructor-hangs").path, "--only", "dlopen-ok")
        #expect(typist.code == 130)
        let left = try Twin.leftovers(files)
        #expect(left.isEmpty, "\(left)")
    }

    @Test("a reader that leaves ends it at once")
    func closed() throws {
        let run = try ChildProcess.run(
            "bash",
            [
                "-c", #""$@" | head -1; echo "${PIPESTATUS[0]}""#, "bash", CommandRun.program,
                "conform",
                Twin("dlopen-ok+constructor-hangs").path,
            ], environment: CommandRun.environment, limit: .seconds(6))
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("org.example.twin-plugin 1.0.0  "))
        #expect(lines.last == "141", "\(run)")
        let full = try ChildProcess.run(
            "sh",
            [
                "-c", #"exec "$@" >/dev/full"#, "sh", CommandRun.program, "conform",
                Twin("good").path, "--level", "1",
            ], environment: CommandRun.environment)
        #expect(full.ending == .exited(1))
        #expect(full.errorOutput.contains("cannot write to standard output: No space left"))
    }
}
