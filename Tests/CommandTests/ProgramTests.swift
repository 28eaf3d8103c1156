// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Programs without a manifest: `curfew run -- …`, `curfew submit -- …`, and the host that runs them.
@Suite("Programs on the command line")
struct ProgramTests {
    @Test("run: output is shown, and the exit status is that of the task")
    func run() throws {
        let good = try CommandRun("run", "--", "sh", "-c", "echo hello; pwd")
        #expect(good.code == 0, "\(good.process)")
        #expect(good.output.contains("hello"))
        #expect(
            good.output.hasPrefix("org.curfew.command  program sh -c 'echo hello; pwd'  budget "),
            "\(good.output)")
        #expect(good.output.contains("SUCCEEDED"))
        let bad = try CommandRun("run", "--json", "--", "sh", "-c", "echo why >&2; exit 9")
        #expect(bad.code == 100)
        let last = try #require(try bad.records().last)
        #expect(last["outcome"] as? String == "failed")
        #expect(last["error"] as? String == "exited with status 9: why")
        let slow = try CommandRun(
            "run", "--budget", "100ms", "--grace", "100ms", "--", "sh", "-c",
            "trap '' TERM; sleep 100")
        #expect(slow.code == 124)
        #expect(try CommandRun("run", "--", "no-such-program").code == 127)
        #expect(try CommandRun("run", "org.example.a", "--", "true").code == 2)
        #expect(try CommandRun("run", "--payload", "x", "--", "true").code == 2)
        #expect(try CommandRun("run", "--").code == 2)
    }

    /// A process gets descriptors of high numbers: with too low a limit its output would be lost.
    @Test("run: a limit of open files that is too low is named, for a program and for a plugin")
    func fewDescriptors() throws {
        for words in ["-- echo hi", CommandRun.errand("echoes")] {
            for (limit, fits) in [(32, false), (80, false), (96, true)] {
                let run = try ChildProcess.run(
                    "sh",
                    ["-c", "ulimit -n \(limit) && exec \"$0\" run \(words)", CommandRun.program],
                    environment: CommandRun.environment, limit: .seconds(60))
                let text = run.output + run.errorOutput
                #expect((run.ending == .exited(0)) == fits, "\(limit) \(run)")
                #expect(
                    text.contains(
                        fits ? "SUCCEEDED" : "it needs a limit of 96 or more (ulimit -n)"),
                    "\(limit) \(run)")
                #expect(!text.contains("after its task was over"), "\(limit) \(run)")
            }
        }
    }

    @Test("run: a program is no plugin, and has no version")
    func noPlugin() throws {
        let begin = try #require(
            try CommandRun("run", "--json", "--", "sh", "-c", "true").records().first)
        #expect(begin["argv"] as? [String] == ["sh", "-c", "true"])
        #expect(begin["plugin"] is NSNull && begin["version"] is NSNull)
    }

    @Test(
        "submit and serve: a stored program is shown by its words, and run by a host that loads plugins"
    )
    func serve() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        let done = files.path("done")
        let broken = files.path("plugins/broken")
        try FileManager.default.createDirectory(
            atPath: broken, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: broken + "/manifest.json"))
        let submitted = try CommandRun(
            "submit", "--store", store, "--json", "--", "sh", "-c", "echo ran > \(done); echo line")
        #expect(submitted.code == 0, "\(submitted.process)")
        let id = try #require(try submitted.document()["id"] as? Int)
        // Another one is added and replaces none.
        let later = try CommandRun(
            "submit", "--store", store, "--cron", "0 3 * * *", "--", "true")
        #expect(later.code == 0, "\(later.process)")
        let shown = try CommandRun("show", String(id), "--store", store)
        #expect(shown.output.contains("echo line"))
        let host = try ChildProcess.run(
            "timeout",
            [
                "--foreground", "--preserve-status", "5", BuiltProducts.path(ofProduct: "curfew"),
                "serve", "--store", store, "--plugins", files.path("plugins"), "--json",
            ], limit: .seconds(60))
        #expect(host.succeeded, "\(host)")
        #expect((try? String(contentsOfFile: done, encoding: .utf8)) == "ran\n")
        let events = host.output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
        let names = events.compactMap { $0["event"] as? String }
        #expect(names.contains("refused"))
        #expect(names.first == "serving")
        #expect(names.last == "stopping")
        #expect(
            events.contains {
                $0["event"] as? String == "ended" && $0["succeeded"] as? Bool == true
                    && $0["request"] as? Int == id
            })
        #expect(
            events.contains { $0["text"] as? String == "line" && $0["request"] as? Int == id })
        let after = try CommandRun("show", String(id), "--store", store, "--json").document()
        #expect(after["outcome"] as? String == "succeeded")
        #expect((after["argv"] as? [String])?.last?.hasSuffix("echo line") == true)
    }

    private func serve(
        _ store: String, seconds: String, _ more: String...
    ) throws -> ChildProcess {
        try ChildProcess.run(
            "timeout",
            [
                "--foreground", "--preserve-status", seconds,
                BuiltProducts.path(ofProduct: "curfew"), "serve", "--store", store, "--json",
            ] + more, limit: .seconds(60))
    }

    @Test("serve: thresholds hold back what waits for a calm machine, and what is wrong is refused")
    func thresholds() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        for (file, when) in [("now", "due"), ("later", "calm")] {
            let stored = try CommandRun(
                "submit", "--store", store, "--when", when, "--", "touch", files.path(file))
            #expect(stored.code == 0)
        }
        let script = """
            "$1" serve --store "$2" --threshold day-launches=0 >/dev/null 2>&1 &
            until "$1" wait 1 --store "$2" && "$1" why 2 --store "$2" | grep day-budget; do
                sleep 0.05
            done
            kill $!
            wait $!
            """
        let host = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, store], limit: .seconds(60))
        #expect(host.succeeded && host.output.contains("day-budget"), "\(host)")
        #expect(FileManager.default.fileExists(atPath: files.path("now")))
        #expect(!FileManager.default.fileExists(atPath: files.path("later")))
        for (wrong, message) in [
            ("idle-aftr=1min", "did you mean `idle-after`?"),
            ("debounce", "--threshold=debounce=VALUE"),
            ("idle-after=soon", "`--threshold=idle-after=15min`"),
            ("place-limit=0", "is not a number from 1 to"), ("low-battery=101%", "from 1 to 100"),
            ("=1", "`curfew help serve` lists the thresholds"),
        ] {
            let run = try CommandRun(
                "serve", "--store", files.path("none"), "--threshold", wrong)
            #expect(run.code == 2 && run.errors.contains(message), "\(run.process)")
        }
        #expect(!FileManager.default.fileExists(atPath: files.path("none")))
    }

    @Test("show has the log, progress and result of a plugin's task")
    func plugins() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        let directory = files.path("plugins")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("cli-errands"),
            toPath: directory + "/cli-errands")
        _ = try CommandRun("submit", "org.curfew.test.errands.works", "--store", store)
        _ = try CommandRun("submit", "org.curfew.test.errands.fails", "--store", store)
        let host = try serve(store, seconds: "4", "--plugins", directory)
        #expect(host.succeeded, "\(host)")
        let document = try CommandRun("show", "1", "--store", store, "--json").document()
        let attempt = try #require((document["attemptList"] as? [[String: Any]])?.last)
        #expect(attempt["log"] as? [String] == ["looking around", "two things to make"])
        #expect(attempt["progress"] as? Double == 1)
        #expect(attempt["progressText"] as? String == "2 of 2 things")
        #expect(attempt["result"] as? String == #"{"made":2}"#)
        #expect(attempt["cpu"] as? Double ?? 0 > 0)
        #expect(attempt["usage"] is NSNull && attempt["exitStatus"] is NSNull)
        let failed = try CommandRun("show", "2", "--store", store, "--json").document()
        let last = try #require((failed["attemptList"] as? [[String: Any]])?.last)
        #expect(last["progressText"] as? String == #"\u{1b}]0;owned\u{7}\u{1b}[31mred"#)
        #expect(last["cpu"] as? Double ?? 0 > 0)
    }

    @Test("show says why a program failed: its last output, exit status, progress and usage")
    func history() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        let script = #"""
            i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done
            echo 'curfew: progress 40% copying'
            echo 'curfew: result three files'
            printf '\033[31mred\377\n' >&2
            exit 3
            """#
        _ = try CommandRun("submit", "--store", store, "--", "sh", "-c", script)
        let host = try serve(store, seconds: "4")
        #expect(host.succeeded, "\(host)")
        let shown = try CommandRun("show", "1", "--store", store)
        #expect(shown.output.contains("exited with status 3"), "\(shown.process)")
        #expect(shown.output.contains("progress  40 %, copying"))
        #expect(shown.output.contains("used      "))
        #expect(shown.output.contains("before them are not kept"))
        #expect(shown.output.contains("         line 19999\n"))
        #expect(shown.output.contains(#"\u{1b}[31mred\#u{FFFD}"#))
        #expect(!shown.output.contains("\u{1B}"))
        let document = try CommandRun("show", "1", "--store", store, "--json").document()
        let attempt = try #require((document["attemptList"] as? [[String: Any]])?.last)
        #expect(attempt["exitStatus"] as? Int == 3)
        #expect(attempt["signal"] is NSNull)
        #expect(attempt["result"] as? String == "three files")
        #expect(attempt["progress"] as? Double == 0.4)
        let log = try #require(attempt["log"] as? [String])
        let dropped = try #require(attempt["logDropped"] as? Int)
        #expect(log.count == 50)
        // The lines, and what is said of those that are not logged.
        #expect(log.count + dropped == 20_002)
        let usage = try #require(attempt["usage"] as? [String: Any])
        #expect(usage["memory"] as? Int ?? 0 > 0)
    }

    @Test("show has the signal and the usage of a program that outlived its grace")
    func outlivedGrace() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        let submitted = try CommandRun(
            "submit", "--store", store, "--budget", "1s", "--grace", "500ms", "--", "sh", "-c",
            "trap 'echo asked' TERM; while :; do :; done")
        #expect(submitted.code == 0, "\(submitted.process)")
        let shown = try CommandRun("show", "1", "--store", store)
        #expect(shown.output.contains("budget      1 s\n  grace       500 ms\n"))
        let host = try serve(store, seconds: "4")
        #expect(host.succeeded, "\(host)")
        let document = try CommandRun("show", "1", "--store", store, "--json").document()
        let attempt = try #require((document["attemptList"] as? [[String: Any]])?.last)
        #expect(attempt["outcome"] as? String == "expired")
        #expect(attempt["signal"] as? Int == 9, "\(attempt)")
        #expect(attempt["log"] as? [String] == ["asked"])
        #expect(attempt["cpu"] as? Double ?? 0 > 0.05, "\(attempt)")
    }

    @Test("after kill -9 of the host its request is host-gone, and its attempt says why it ended")
    func killed() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        _ = try CommandRun("submit", "--store", store, "--", "sh", "-c", "echo began; sleep 2")
        let script = """
            "$1" serve --store "$2" --json >/dev/null 2>&1 &
            until "$1" ps --store "$2" | grep -q running; do sleep 0.05; done
            kill -9 $!
            wait
            "$1" ps --store "$2"
            """
        let after = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, store], limit: .seconds(60))
        #expect(after.output.contains(" host-gone "), "\(after)")
        let host = try serve(store, seconds: "6")
        #expect(host.succeeded, "\(host)")
        let document = try CommandRun("show", "1", "--store", store, "--json").document()
        let attempts = try #require(document["attemptList"] as? [[String: Any]])
        #expect(attempts.map { $0["outcome"] as? String } == ["interrupted", "succeeded"])
        #expect(attempts[0]["error"] as? String == "the host's process ended")
        #expect(attempts[0]["log"] as? [String] == [])
        #expect(attempts[1]["log"] as? [String] == ["began"])
    }

    @Test("submit: a stored program has the directory and the variables that were named")
    func surroundings() throws {
        let files = try TemporaryDirectory()
        try files.write("", to: "there/.keep")
        let store = files.path("store")
        func submit(_ arguments: String...) throws -> CommandRun {
            let words = ["submit", "--store", store, "--json"] + arguments
            return CommandRun(
                process: try ChildProcess.run(
                    CommandRun.program, words, environment: CommandRun.environment))
        }
        let stored = try submit(
            "--directory", files.path("there"), "--env", "WORD=apple", "--env", "EMPTY=", "--env",
            "WORD=pear=green", "--", "sh", "-c",
            "echo \"$WORD,$EMPTY\" > fruit; echo curfew: result ripe")
        #expect(stored.code == 0, "\(stored.process)")
        let id = try #require(try stored.document()["id"] as? Int)
        let host = try ChildProcess.run(
            "timeout",
            [
                "--foreground", "--preserve-status", "2", BuiltProducts.path(ofProduct: "curfew"),
                "serve", "--store", store, "--plugins", files.path("there"),
            ], limit: .seconds(60))
        #expect(host.succeeded, "\(host)")
        #expect(String(decoding: try files.read("there/fruit"), as: UTF8.self) == "pear=green,\n")
        #expect(host.output.contains("request \(id), command: succeeded"), "\(host)")
        let waited = try CommandRun("wait", String(id), "--store", store)
        #expect(waited.output == "\(id)  org.curfew.command  succeeded: ripe\n")
        #expect(!host.output.contains("task "), "\(host)")
        #expect(try submit("--env", "WORD", "--", "true").code == 2)
        #expect(try submit("--env", "=x", "--", "true").code == 2)
        #expect(try submit("--directory", files.path("nowhere"), "--", "true").code == 2)
        #expect(try submit("org.example.a", "--env", "WORD=apple").code == 2)
        #expect(try submit("org.example.a", "--budget", "1h").code == 2)
        #expect(try submit("--on-pending", "replace", "--", "true").code == 2)
        #expect(try submit("--payload", "x", "--", "true").code == 2)
        #expect(
            try CommandRun("submit", "--store", store, "--dry-run", "--", "true").output
                .contains("\n  budget 10 min\n"))
        #expect(try submit("--on-pending", "add", "--dry-run", "--", "true").code == 0)
        #expect(try submit("--budget", "25h", "--", "true").code == 2)
        #expect(try submit("--grace", "soon", "--", "true").code == 2)
    }

    @Test(
        "serve: signals that come together are one, a later one hastens the end, and a third ends it at once"
    )
    func signals() throws {
        let files = try TemporaryDirectory()
        _ = try CommandRun(
            "submit", "--store", files.path("store"), "--grace", "1s", "--", "sh", "-c",
            "trap '' TERM; : > \(files.path("ready")); while :; do sleep 1; done")
        let script = """
            start() {
                rm -f "$4"
                "$1" serve --store "$2" >> "$3" 2>&1 &
                until test -e "$4"; do sleep 0.05; done
            }
            start "$@"
            kill -TERM $!; kill -HUP $!
            wait $!; echo $?
            start "$@"
            kill -TERM $!; sleep 0.4; kill -HUP $!
            wait $!; echo $?
            start "$@"
            kill -TERM $!; sleep 0.4; kill -TERM $!; sleep 0.4; kill -HUP $!
            wait $!; echo $?
            """
        let run = try ChildProcess.run(
            "bash",
            [
                "-c", script, "bash", CommandRun.program, files.path("store"), files.path("log"),
                files.path("ready"),
            ], limit: .seconds(60))
        #expect(run.output == "0\n0\n129\n", "\(run)")
    }

    @Test("serve: a host that is killed leaves no process of its programs, in no session")
    func nothingLeft() throws {
        let files = try TemporaryDirectory()
        // The program, one in a session of its own, and a grandchild whose parent has ended.
        let program = """
            setsid sh -c 'echo $$ > one; exec sleep 1000' &
            setsid sh -c '(setsid sh -c "echo \\$\\$ > two; exec sleep 1000" &)' &
            trap '' TERM HUP
            echo $$ > three
            sleep 1000
            """
        let script = """
            set -e
            cd '\(files.path)'
            '\(CommandRun.program)' submit --store store -- sh -c "$PROGRAM"
            mkdir plugins
            '\(CommandRun.program)' serve --store store --plugins plugins &
            until [ -s one ] && [ -s two ] && [ -s three ]; do sleep 0.02; done
            kill -KILL $!
            for file in one two three; do
                while kill -0 "$(cat $file)" 2>/dev/null; do sleep 0.02; done
            done
            """
        var environment = CommandRun.environment
        environment["PROGRAM"] = program
        let run = try ChildProcess.run(
            "bash", ["-c", script], environment: environment, limit: .seconds(30))
        for file in ["one", "two", "three"] {
            let text = String(decoding: (try? files.read(file)) ?? [], as: UTF8.self)
            let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(process != nil, "\(run)")
            // Where it fails.
            if let process, kill(process, 0) == 0 { kill(process, SIGKILL) }
        }
        #expect(run.succeeded, "\(run)")
    }
}
