// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew run, in a pipe")
struct RunTests {
    @Test("a success shows progress, events, log lines and the result")
    func success() throws {
        let run = try CommandRun("run", CommandRun.errand("works"))
        #expect(run.code == 0, "\(run.process)")
        #expect(
            run.life == #"""
                org.curfew.test.errands.works  plugin org.curfew.test.errands 1.2.0  budget 30 s  grace 5 s
                T  started
                T  log       two things to make
                T  progress   50 %  1 of 2 things
                T  event     works_made("a \"cup\"", 12)
                T  progress  100 %  2 of 2 things
                T  event     works_done(true, "")
                SUCCEEDED  in D
                result: {"made":2}

                """#)
        #expect(run.errors.isEmpty)
    }

    @Test("--verbose adds what is for debugging")
    func verbose() throws {
        let run = try CommandRun("run", "-v", CommandRun.errand("works"))
        #expect(run.life.contains("T  debug     looking around\n"))
    }

    @Test("a failure shows its text, made harmless, and an example of the manifest")
    func failure() throws {
        let run = try CommandRun("run", CommandRun.errand("fails"))
        #expect(run.code == 100, "\(run.process)")
        #expect(
            run.life.hasSuffix(
                #"""
                T  progress   25 %  \u{1b}]0;owned\u{7}\u{1b}[31mred
                T  event     fails_done(false, "no paper\u{1b}[2J\nleft \u{202e}in the tray")
                FAILED  in D
                error: no paper\u{1b}[2J
                       left \u{202e}in the tray
                hint: a payload it understands: --payload '{"size": 1}'

                """#), "\(run.life)")
        #expect(!run.process.outputBytes.contains(0x1B))
    }

    @Test("an expiry shows the grace, the done event, the answer and what to do")
    func expiry() throws {
        let run = try CommandRun("run", "org.curfew.test.patient")
        #expect(run.code == 124, "\(run.process)")
        #expect(
            run.life == """
                org.curfew.test.patient  plugin 1.0.0  budget 50 ms  grace 2 s
                T  started
                T  EXPIRING  the budget is used up; it has 2 s to answer
                T  event     patient_done(false, "Background task expired.")
                EXPIRED  in D
                answer: Left when I was told to.
                hint: give it more time: --budget 100ms; some handlers continue when run again

                """)
    }

    @Test("--chaos: what goes wrong is told, and comes again with its seed")
    func chaos() throws {
        let plugin = Twin("progress-in-range+late").path
        func told(_ seed: Int) throws -> [Substring] {
            let run = try CommandRun(
                "run", "org.example.twin", "--plugin", plugin, "--payload", "plain", "--chaos",
                "\(seed)")
            return run.output.split(separator: "\n").compactMap { line in
                line.firstMatch(of: /chaos: (.*)/)?.output.1
            }
        }
        let all = try (1...12).map { try told($0) }
        #expect(
            Set(all).count > 2 && all.contains { $0.contains("complete answered CURFEW_CLOSING") }
        )
        #expect(all.contains { $0.contains("no descriptor is free") })
        #expect(try told(5) == all[4])
        for (words, message) in [
            (["--chaos", "x"], "`--chaos` takes a whole number"),
            (
                ["--chaos", "1", "--isolation", "process"],
                "`--chaos` needs the plugin's code in a thread"
            ),
        ] {
            let run = try ChildProcess.run(
                CommandRun.program, ["run", "org.example.twin", "--plugin", plugin] + words,
                environment: CommandRun.environment)
            #expect(run.ending == .exited(2) && run.errorOutput.contains(message), "\(run)")
        }
        let program = try CommandRun("run", "--chaos", "1", "--", "/bin/true")
        #expect(
            program.errors.contains("`--chaos` is for handlers of plugins"), "\(program.errors)")
    }

    @Test("--budget and --grace take the place of the manifest's")
    func budget() throws {
        let run = try CommandRun(
            "run", CommandRun.errand("waits"), "--budget", "70ms", "--grace=1.5s")
        #expect(run.code == 124, "\(run.process)")
        #expect(run.life.contains("budget 70 ms  grace 1.5 s\n"))
        #expect(run.life.contains("it has 1.5 s to answer\n"))
        #expect(run.life.contains("answer: 12 files are done, 36 are left\n"))
    }

    @Test("a handler that never returns does not keep the command")
    func stubborn() throws {
        let run = try CommandRun(
            "run", CommandRun.errand("stubborn"), "--budget", "20ms", "--grace", "50ms",
            "--isolation", "thread")
        #expect(run.code == 124, "\(run.process)")
        #expect(
            run.life.hasSuffix(
                """
                EXPIRED  in D
                answer: none within its grace
                note: its function has not returned; it ends with this process
                hint: its handler should look at is_expired in its loops, and return

                """), "\(run.life)")
    }

    @Test("a grace of nothing is not the manifest's")
    func noGrace() throws {
        let run = try CommandRun(
            "run", CommandRun.errand("stubborn"), "--budget", "20ms", "--grace", "0s", "--json")
        let outcome = try #require(try run.records().last)
        #expect(try #require(outcome["duration"] as? Double) < 3, "\(run.process)")
    }

    @Test("an abandoned task is the plugin's fault")
    func abandoned() throws {
        let run = try CommandRun("run", CommandRun.errand("forgets"))
        #expect(run.code == 101, "\(run.process)")
        #expect(run.life.contains("\nABANDONED  in D\nhint: the plugin released the task"))
    }

    @Test("of many lines of one sort few are shown, but the last progress always")
    func throttled() throws {
        let run = try CommandRun("run", CommandRun.errand("chatters"))
        #expect(run.code == 0, "\(run.process)")
        let lines = run.life.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("T  progress") } < 10)
        #expect(lines.count { $0.hasPrefix("T  event     chatters_said(") } < 10)
        #expect(lines.contains("T  progress  100 %  word 500"))
        #expect(lines.contains { $0.hasSuffix(" of 500 chatters_said not shown; -v shows them") })
    }

    @Test("--verbose shows every event")
    func every() throws {
        let run = try CommandRun("run", "--verbose", CommandRun.errand("chatters"))
        let lines = run.life.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("T  event     chatters_said(") } == 500)
        #expect(lines.count { $0.hasPrefix("T  progress") } == 500)
    }

    @Test("times never go back")
    func order() throws {
        let run = try CommandRun("run", CommandRun.errand("chatters"))
        let times = run.output.matches(of: #/(?m)^ *([0-9.]+) s  /#).compactMap {
            Double($0.output.1)
        }
        #expect(times.count > 5)
        #expect(times == times.sorted())
    }

    // MARK: Payloads

    @Test("a payload comes as text, from a file or from standard input")
    func payloads() throws {
        let files = try TemporaryDirectory()
        let file = try files.write("from a file", to: "job")
        for (option, input, wanted) in [
            ("said", "", "said"), ("@" + file, "", "from a file"), ("-", "piped", "piped"),
        ] {
            let run = try CommandRun(
                "run", CommandRun.errand("echoes"), "--payload", option, input: input)
            #expect(run.code == 0)
            #expect(run.output.hasSuffix("\nresult: \(wanted)\n"), "\(run.process)")
        }
    }

    @Test("an empty payload is one")
    func emptyPayload() throws {
        let run = try CommandRun("run", CommandRun.errand("echoes"), "--payload", "")
        #expect(run.code == 0, "\(run.process)")
    }

    @Test("a payload that cannot be read is an error before anything runs")
    func noPayload() throws {
        let run = try CommandRun("run", CommandRun.errand("echoes"), "--payload", "@/nowhere/job")
        #expect(run.code == 125)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == """
                error: the payload cannot be read from `/nowhere/job`: No such file or directory
                  = note: nothing was run
                  = help: --payload @FILE, --payload - or --payload TEXT, at most 1 MiB

                """)
        let large = try CommandRun(
            "run", CommandRun.errand("echoes"), "--payload", "-",
            input: String(repeating: "x", count: 1 << 20 | 1))
        #expect(large.code == 125)
        #expect(large.errors.contains("it has more than 1048576 bytes"))
    }

    // MARK: What cannot be run

    @Test("an unknown identifier is answered with the nearest one")
    func unknown() throws {
        for (typed, meant) in [
            ("org.curfew.test.patiant", "org.curfew.test.patient"),
            ("patient", "org.curfew.test.patient"), ("chaters", CommandRun.errand("chatters")),
        ] {
            let run = try CommandRun("run", typed)
            #expect(run.code == 127)
            #expect(run.output.isEmpty)
            #expect(run.errors.hasPrefix("error: no plugin has a handler for `\(typed)`\n"))
            #expect(
                run.errors.hasSuffix(
                    "  = help: did you mean `\(meant)`?\n          curfew plugins\n"))
        }
        let far = try CommandRun("run", "com.example.entirely-different")
        #expect(far.code == 127)
        #expect(!far.errors.contains("did you mean"))
    }

    @Test("a plugin that refuses to be loaded")
    func refused() throws {
        let run = try CommandRun("run", "org.curfew.test.refuses")
        #expect(run.code == 126, "\(run.process)")
        #expect(
            run.life.hasSuffix("\nT  warning   the licence ran out yesterday\n"), "\(run.life)")
        #expect(run.errors.contains("failed: there is no licence for this machine"))
        #expect(run.errors.contains("  = note: `org.curfew.test.refuses` was not run\n"))
    }

    @Test("a directory that is named must be there")
    func noDirectory() throws {
        let run = try CommandRun("run", "a.b", "--plugins", "/nowhere")
        #expect(run.code == 125)
        #expect(run.errors.hasPrefix("error: the directory /nowhere cannot be read: "))
    }
}
