// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Commands end, and say why, where code of a plugin never returns.
@Suite("Plugins that block")
struct BlockedPluginTests {
    private static let forever = "for (;;) twin_nap(1000);"

    private func run(_ code: String, _ words: String...) throws -> CommandRun {
        try Twin(code: code).command(words)
    }

    @Test("simulate ends within --timeout where an expiration callback blocks, and names it")
    func callback() throws {
        let code = "#define TWIN_IN_EXPIRED \(Self.forever)"
        for steps in [["launch", "expire"], ["launch", "advance=10s"]] {
            let start = SuspendingClock.now
            let twin = try Twin(code: code)
            let run = CommandRun(
                process: try ChildProcess.run(
                    CommandRun.program,
                    [
                        "simulate", "org.example.twin", "--plugin", twin.path, "--timeout", "300ms",
                        "--payload", "slow", "submit:after=1h",
                    ] + steps, environment: CommandRun.environment, limit: .seconds(60)))
            #expect(SuspendingClock.now - start < .seconds(30))
            #expect(run.code == 7, "\(run.process)")
            #expect(
                run.errors.hasPrefix(
                    "error: the expiration callback of `org.example.twin` has not returned after 300 ms of real time\n"
                ), "\(run.process)")
        }
    }

    @Test("simulate as JSON ends with an object that has the error")
    func records() throws {
        let run = try run(
            "#define TWIN_IN_EXPIRED \(Self.forever)", "simulate", "--json", "--timeout", "300ms",
            "--payload", "slow", "submit:after=1h", "launch", "expire")
        let end = try #require(try run.records().last)
        #expect(end["event"] as? String == "end", "\(run.process)")
        #expect(end["exit"] as? Int == 7)
        #expect((end["error"] as? String)?.hasPrefix("the expiration callback of") == true)
    }

    @Test("simulate ends within --timeout where loading blocks")
    func loading() throws {
        for place in ["TWIN_IN_ENTRY", "TWIN_IN_CONSTRUCTOR"] {
            let run = try run(
                "#define \(place) \(Self.forever)", "simulate", "--timeout", "300ms", "submit")
            #expect(run.code == 7, "\(run.process)")
            #expect(
                run.errors.hasPrefix(
                    "error: the entry function of the plugin `org.example.twin-plugin`, or a constructor of its library, has not returned after 300 ms\n"
                ), "\(run.process)")
        }
    }

    @Test("simulate names a retire function that blocks, and what blocks the exit")
    func leaving() throws {
        let retire = try run(
            "#define TWIN_IN_RETIRE \(Self.forever)", "simulate", "submit", "expect=succeeded")
        #expect(retire.code == 0, "\(retire.process)")
        #expect(
            retire.output.contains(
                "the retire function of \"org.example.twin-plugin\" has not returned; it ends with this process\n"
            ), "\(retire.process)")
        let exit = try run(
            "#define TWIN_IN_DESTRUCTOR \(Self.forever)", "simulate", "--timeout", "300ms",
            "submit",
            "expect=succeeded")
        #expect(exit.code == 0, "\(exit.process)")
        #expect(exit.errors.hasPrefix("warning: a destructor of the plugin's library, or a"))
    }

    @Test(
        "a signal while loading blocks says what blocks, and the last line as JSON has it",
        arguments: [
            (["run", "--isolation", "thread"], "INT", 130, "outcome"),
            (["simulate", "submit"], "TERM", 143, "end"),
        ])
    func interrupted(words: [String], signal: String, code: Int, last: String) throws {
        let twin = try Twin(
            code: "#define TWIN_IN_ENTRY puts(\"inside\"), fflush(stdout); \(Self.forever)")
        let typist = try Typist(
            columns: nil, steps: [("inside", signal)], CommandRun.program, words[0],
            "org.example.twin", "--plugin", twin.path, "--json", more: Array(words.dropFirst()))
        #expect(typist.code == Int32(code), "\(typist.screen)")
        let line = try #require(typist.lines.last)
        #expect(line.contains(#""event":"\#(last)""#), "\(line)")
        #expect(
            line.contains(
                "`org.example.twin-plugin`, or a constructor of its library, had not returned when SIG\(signal) came"
            ), "\(line)")
        #expect(line.hasSuffix(#""exit":\#(code)}"#), "\(line)")
    }

    @Test("run names a destructor of thread-local data that blocks")
    func threadLocal() throws {
        let run = try run(
            """
            #include <pthread.h>
            static void gone(void *data) { for (;;) pause(); }
            #define TWIN_IN_RUN pthread_key_t key; pthread_key_create(&key, gone), \
                pthread_setspecific(key, &key);
            #include <unistd.h>
            """, "run", "--isolation", "thread")
        #expect(run.code == 0, "\(run.process)")
        #expect(
            run.output.hasSuffix(
                "\nnote: a destructor of thread-local data has not returned; it ends with this process\n"
            ), "\(run.process)")
    }

    @Test("inspect --load tells a plugin that does not retire from one that was refused")
    func inspected() throws {
        let twin = try Twin(code: "#define TWIN_IN_RETIRE \(Self.forever)")
        let load = try #require(
            try CommandRun("inspect", "--load", "--json", twin.path).document()["load"]
                as? [String: Any])
        #expect(load["outcome"] as? String == "did not return while it was retired", "\(load)")
        #expect(load["status"] as? String == "CURFEW_TIMED_OUT")
    }

    @Test("run names an expiration callback and a retire function that block")
    func run() throws {
        let callback = try run(
            "#define TWIN_IN_EXPIRED \(Self.forever)", "run", "--budget", "50ms", "--grace",
            "1s", "--payload", "slow", "--isolation", "thread")
        #expect(callback.code == 124, "\(callback.process)")
        #expect(
            callback.output.contains(
                "\nnote: its expiration callback has not returned; it ends with this process\n"),
            "\(callback.process)")
        let retire = try run(
            "#define TWIN_IN_RETIRE \(Self.forever)", "run", "--isolation", "thread")
        #expect(retire.code == 0, "\(retire.process)")
        #expect(
            retire.output.hasSuffix(
                "\nnote: the retire function of \"org.example.twin-plugin\" has not returned; it ends with this process\n"
            ),
            "\(retire.process)")
    }

    @Test("the hint for a task that is pending speaks of its completion, not of is_expired")
    func pending() throws {
        let run = try run(
            "#define TWIN_IF_PLAIN return CURFEW_PENDING;", "run", "--budget", "50ms", "--grace",
            "50ms")
        #expect(run.code == 124, "\(run.process)")
        #expect(
            run.output.hasSuffix(
                """
                answer: none within its grace
                hint: its function returned PENDING, and nothing completed the task: its expiration callback should stop the work and call complete

                """), "\(run.process)")
    }
}
