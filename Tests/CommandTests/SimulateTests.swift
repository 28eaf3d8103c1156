// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew simulate")
struct SimulateTests {
    private func simulate(_ name: String, _ words: String...) throws -> CommandRun {
        try simulate(words, CommandRun.errand(name))
    }

    private func simulate(_ words: String..., identifier: String) throws -> CommandRun {
        try simulate(words, identifier)
    }

    private func simulate(_ words: [String], _ identifier: String) throws -> CommandRun {
        let process = try ChildProcess.run(
            CommandRun.program, ["simulate", identifier] + words,
            environment: CommandRun.environment.merging(["TZ": "UTC"]) { $1 },
            limit: .seconds(60))
        return CommandRun(process: process)
    }

    @Test("a request waits for its date and its network, and is launched when both are there")
    func whole() throws {
        let run = try simulate(
            "works", "submit:after=15min,needs=network", "network=no", "advance=15min",
            "held=network", "network=yes", "expect=succeeded")
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        #expect(
            run.output == """
                org.curfew.test.errands.works  plugin org.curfew.test.errands 1.2.0  app-refresh  budget 30 s  grace 5 s
                     0:00:00  submit:after=15min,needs=network
                     0:00:00    request 1, due in 15 min, needs network
                     0:00:00  network=no
                     0:00:00  advance=15min
                     0:15:00  held=network
                     0:15:00  network=yes
                     0:15:00    request 1 launched: attempt 1
                     0:15:00    two things to make
                     0:15:00    event works_progress(0.5, "1 of 2 things")
                     0:15:00    event works_made("a \\"cup\\"", 12)
                     0:15:00    event works_progress(1.0, "2 of 2 things")
                     0:15:00    event works_done(true, "")
                     0:15:00    request 1 ended: succeeded
                     0:15:00    request 1 finished: succeeded
                     0:15:00  expect=succeeded
                     0:15:00  all went as expected

                """, "\(run.process)")
    }

    @Test("a plugin asks for its next run by the date of the clock, as its header shows it")
    func again() throws {
        let run = try simulate(
            "--plugin", BuiltProducts.testPluginDirectory("again"), "submit", "expect=succeeded",
            "advance=23h", "advance=1h", "wait", identifier: "org.curfew.test.again")
        #expect(run.code == 0, "\(run.process)")
        // 2026-01-01 00:00 UTC, and a day later.
        #expect(run.output.contains(" 0:00:00    it is 1767225600\n"), "\(run.process)")
        #expect(run.output.contains(" 1 d 0:00:00    it is 1767312000\n"), "\(run.process)")

        let root = BuiltProducts.packageRoot
        let header = try String(
            contentsOfFile: "\(root)/include/curfew/ext/requests.h", encoding: .utf8)
        let plugin = try String(
            contentsOfFile: "\(root)/Tests/Plugins/again/again.c", encoding: .utf8)
        let shown = header.split(separator: "\n").filter { $0.hasPrefix(" *     ") }
            .map { $0.dropFirst(3).replacing("org.example.tidy", with: "org.curfew.test.again") }
        #expect(shown.count == 9)
        for line in shown {
            let words = line.drop { $0 == " " }
            #expect(plugin.contains(words), "\(line)")
        }
    }

    @Test("a launch before its date, and its expiration, have Apple's log lines")
    func expired() throws {
        let run = try simulate(
            "waits", "--after", "1h", "submit", "launch", "expect=running", "expire",
            "expect=expired")
        #expect(run.code == 0, "\(run.process)")
        for line in [
            "Simulating launch for task with identifier org.curfew.test.errands.waits",
            "Starting simulated task: <BGProcessingTask: org.curfew.test.errands.waits>",
            "Simulating expiration for task with identifier org.curfew.test.errands.waits",
            "Marking simulated task complete: <BGProcessingTask: org.curfew.test.errands.waits>",
            "request 1 ended: expired, told to stop: budget: 12 files are done, 36 are left",
        ] {
            #expect(run.output.contains("  \(line)\n"), "\(line)")
        }
        // What the debugger command says comes before what comes of it.
        let launch = """
                 0:00:00  launch
                 0:00:00    Simulating launch for task with identifier org.curfew.test.errands.waits
                 0:00:00    Starting simulated task: <BGProcessingTask: org.curfew.test.errands.waits>
                 0:00:00    request 1 launched: attempt 1

            """
        #expect(run.output.contains(launch), "\(run.process)")
    }

    @Test("a budget is used up by time that passes, and by nothing else")
    func budget() throws {
        let run = try simulate(
            "waits", "submit:after=1h", "launch", "advance=599s", "expect=running", "advance=1s",
            "expect=expired")
        #expect(run.code == 0, "\(run.process)")
    }

    @Test("what failed comes again after its back-off, and so often")
    func attempts() throws {
        let run = try simulate(
            "fails", "--attempts", "3", "--back-off", "1min", "submit", "expect=pending",
            "held=date", "advance=1h", "expect=failed")
        #expect(run.code == 0, "\(run.process)")
        #expect(run.output.matches(of: /launched: attempt [123]\n/).count == 3)
    }

    @Test("a day of a repeated request")
    func day() throws {
        let run = try simulate("works", "--every", "6h", "submit", "advance=1d", "expect=pending")
        #expect(run.code == 0)
        #expect(run.output.matches(of: /launched: attempt 1\n/).count == 5)
        #expect(run.output.contains("\n 1 d 0:00:00    request 1 launched"))
    }

    @Test("no time passes while the function of a task that is over has not returned")
    func lingering() throws {
        let plugin = BuiltProducts.testPluginDirectory("lingers")
        let runs = try (0..<3).map { _ in
            try simulate(
                "--plugin", plugin, "submit:every=15min", "advance=3h", "expect=pending",
                identifier: "org.curfew.test.lingers")
        }
        for run in runs {
            #expect(run.code == 0, "\(run.process)")
            #expect(run.output.matches(of: /launched: attempt 1\n/).count == 13, "\(run.process)")
            // It is the same to the letter, however the threads ran.
            #expect(run.output == runs[0].output)
        }
        let launch = """
                 0:15:00    request 1 launched: attempt 1
                 0:15:00    nearly done
                 0:15:00    event lingers_progress(1.0, "done")
                 0:15:00    event lingers_done(true, "")
                 0:15:00    request 1 ended: succeeded

            """
        #expect(runs[0].output.contains(launch), "\(runs[0].process)")
    }

    @Test("settings, cancelling, and why")
    func settings() throws {
        let run = try simulate(
            "works", "refresh-setting=denied", "submit", "why", "held=refresh-setting", "cancel",
            "expect=cancelled", "cancel")
        #expect(run.code == 0, "\(run.process)")
        #expect(run.output.contains("  1. refresh-setting  denied (settings)\n"), "\(run.process)")
        #expect(run.output.contains("    it was over before\n"))
    }

    @Test(
        "what is not as expected leaves with 1, and says what it is instead",
        arguments: [
            (
                ["submit", "expect=failed"],
                "error: `expect=failed`: request 1 is finished, succeeded"
            ),
            (
                ["submit:after=1h", "held=network"],
                "error: `held=network`: request 1 is waiting for date"
            ),
            (["submit", "held=date"], "error: `held=date`: request 1 is waiting for nothing"),
            (["expect=pending"], "error: `expect=pending`: nothing was submitted"),
            (["launch"], "error: no request of `org.curfew.test.errands.works` is pending"),
            (["expire"], "error: no task runs that `launch` began"),
        ])
    func unexpected(steps: [String], message: String) throws {
        let process = try ChildProcess.run(
            CommandRun.program, ["simulate", CommandRun.errand("works")] + steps,
            environment: CommandRun.environment, limit: .seconds(60))
        let run = CommandRun(process: process)
        #expect(run.code == 1)
        #expect(run.errors.hasPrefix(message), "\(run.process)")
        #expect(!run.output.contains("all went as expected"))
    }

    @Test(
        "what is no step is told before anything is run",
        arguments: [
            ("sumbit", "did you mean `submit`?"), ("submit:aftr=1h", "did you mean `after`?"),
            ("submit:after", "`after` lacks its value"),
            ("submit:local=1", "`local` takes no value"), ("advance=soon", "is not a span of time"),
            ("netwrok=no", "did you mean `network=` and a value?"),
            ("advance", "did you mean `advance=` and a value?"),
            ("advance=5", "did you mean `advance=5s`?"),
            ("advance=0", "write a span of more than 0 s and at most 366 days: `advance=15min`"),
            ("advance=0s", "`advance=0s` is out of bounds"),
            ("network=maybe", "write `network=` and one"),
            ("expect=great", "write `expect=` and one of pending,"), ("date=no", "is no step"),
            ("held=hands", "write `held=` and one of"), ("", "an argument of `curfew simulate` is"),
        ])
    func unknown(step: String, message: String) throws {
        let run = try simulate("works", "submit", step)
        #expect(run.code == 2)
        #expect(run.errors.contains(message), "\(run.process)")
        #expect(run.output.isEmpty)
    }

    @Test(
        "the options of a step are read before anything is run, and spelt as in a step",
        arguments: [
            ("submit:after=15", "did you mean `submit:after=15s`?"),
            ("submit:after=900d", "`submit:after=900d` is out of bounds"),
            ("submit:needs=cake", "or `submit:needs=network+external-power`"),
            ("submit:needs=network,power", "write `submit:needs=network+power`"),
            ("submit:priority=hihg", "did you mean `submit:priority=high`?"),
            ("submit:attempts=some", "write `submit:attempts=10`"),
            ("submit:back-off=1min", "write `submit:attempts=3` too"),
            ("submit:jitter=1min", "write `submit:every=1h` or `'submit:cron=30 4 * * *'` too"),
            ("submit:every=1h,cron=@daily", "`submit:every` and `submit:cron` say the same"),
            ("submit:cron=30 4 * *", "`'submit:cron=30 4 * *'`: "),
            ("submit:local", "`submit:local` is about the dates of `submit:cron`"),
            ("submit:at=soon", "write a date, `submit:at=2026-01-02T18:00`"),
            ("submit:latest=2025-12-24", "`submit:latest=2025-12-24` has passed"),
            ("submit:pending-limit=3", "write `--pending-limit 3`, which is for all steps"),
            ("submit:payload=@", "`submit:payload=@` names no file"),
        ])
    func stepOptions(step: String, message: String) throws {
        let run = try simulate("works", "submit", step)
        #expect(run.code == 2)
        #expect(run.errors.contains(message), "\(run.process)")
        #expect(!run.errors.contains("--") || message.contains("--"), "\(run.process)")
        #expect(run.output.isEmpty)
    }

    @Test("a payload that is not there is told before anything is run")
    func missingPayload() throws {
        let run = try simulate("works", "submit", "submit:payload=@/nowhere")
        #expect(run.code == 125)
        #expect(run.errors.contains("submit:payload=@FILE"), "\(run.process)")
        #expect(run.output.isEmpty)
    }

    @Test("a step has its own options besides those of the command, and at its own time")
    func mergedOptions() throws {
        // Alone neither would do; and the second date has passed only when its step comes.
        let run = try simulate(
            "works", "--jitter", "0s", "submit:every=1h", "advance=1h", "expect=pending")
        #expect(run.code == 0, "\(run.process)")
        let late = try simulate("works", "advance=2d", "submit:latest=2026-01-02")
        #expect(late.code == 2 && late.output.isEmpty, "\(late.process)")
        let early = try simulate("works", "submit:latest=2026-01-02", "advance=2d")
        #expect(early.code == 0, "\(early.process)")
        let option = try simulate("works", "--after", "15", "submit")
        #expect(option.errors.contains("did you mean `--after 15s`?"), "\(option.process)")
    }

    @Test("a task that exceeds the timeout is reported")
    func timeout() throws {
        let run = try simulate(
            "waits", "--timeout", "50ms", "submit:after=1h", "launch", "wait")
        #expect(run.code == 7)
        #expect(run.errors.contains("the task still works after 50 ms of real time"))
        #expect(run.output.contains("    its task still runs, and is interrupted\n"))
    }

    @Test("a flood of events neither blocks it nor fills the screen")
    func flood() throws {
        let run = try simulate("chatters", "submit", "expect=succeeded")
        #expect(run.code == 0, "\(run.process)")
        #expect(run.output.contains(" more events\n"))
        #expect(run.output.split(separator: "\n").count < 60)
    }

    @Test("JSON: one object a line, the last says whether all went as expected")
    func json() throws {
        let run = try simulate(
            "works", "--json", "submit:after=15min", "advance=1h", "expect=succeeded")
        let records = try run.records()
        #expect(records.first?["event"] as? String == "simulating")
        #expect(records.last?["event"] as? String == "end")
        #expect(records.last?["ok"] as? Bool == true)
        let launched = try #require(
            records.first { ($0["entry"] as? [String: Any])?["what"] as? String == "launched" })
        #expect(launched["time"] as? Double == 900)
        let failed = try simulate("works", "--json", "submit", "expect=expired")
        #expect(failed.code == 1)
        #expect(try failed.records().last?["exit"] as? Int == 1)
    }

    @Test("an identifier that no plugin has, and a plugin that is refused")
    func plugins() throws {
        #expect(try CommandRun("simulate", "org.example.nothing", "submit").code == 127)
        #expect(try CommandRun("simulate", "org.curfew.test.refuses", "submit").code == 126)
    }

    @Test("a crash is told, as `run` tells it")
    func crash() throws {
        let run = try CommandRun(
            "simulate", "org.curfew.violation.aborts", "submit", "--plugin",
            BuiltProducts.testPluginDirectory("violations/aborts"))
        #expect(
            run.process.ending == .exited(128 + SIGABRT)
                || run.process.ending == .signalled(SIGABRT))
        #expect(run.errors.hasPrefix("error: the code of `org.curfew.violation.aborts` "))
    }

    @Test("a handler in Swift submits its next launch, or puts this one off")
    func swift() throws {
        let plugin = try TemporaryDirectory()
        let source = "\(BuiltProducts.packageRoot)/Tests/Plugins/good-swift/manifest.json"
        try FileManager.default.copyItem(atPath: source, toPath: plugin.path("manifest.json"))
        try FileManager.default.copyItem(
            atPath: BuiltProducts.path(ofProduct: "libgood-swift.so"),
            toPath: plugin.path("libgood-swift.so"))
        func run(_ payload: String, _ step: String) throws -> CommandRun {
            try simulate(
                "--plugin", plugin.path, "--payload", payload, "submit", step,
                identifier: "org.curfew.test.good-swift")
        }
        let again = try run("again", "expect=succeeded")
        // Where it cannot submit, it fails.
        #expect(again.code == 0, "\(again.process)")
        let nightly = try simulate(
            "--plugin", plugin.path, "--payload", "nightly", "submit", "expect=succeeded",
            "advance=24h",
            identifier: "org.curfew.test.good-swift")
        #expect(nightly.code == 0, "\(nightly.process)")
        #expect(
            nightly.output.contains(" 1 d 0:00:00    request 2 launched: attempt 1"),
            "\(nightly.process)")
        let later = try run("later", "expect=pending")
        #expect(later.code == 0, "\(later.process)")
        #expect(later.output.contains("request 1 snoozed"), "\(later.process)")
    }
}
