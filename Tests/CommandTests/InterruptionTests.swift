// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew run is interrupted")
struct InterruptionTests {
    @Test("Ctrl-C tells the task to stop, and its answer is shown")
    func once() throws {
        let typist = try Typist(
            steps: [("12 of 48 files", "^C")], CommandRun.program, "run",
            CommandRun.errand("waits"))
        #expect(typist.code == 130)
        let text = typist.lines.joined(separator: "\n")
        #expect(text.contains("SIGINT    cancelling; once more ends it without waiting"))
        #expect(text.contains("EXPIRING  cancelled; it has 2 s to answer"))
        #expect(text.contains(#"event     waits_done(false, "Background task cancelled.")"#))
        #expect(text.contains("\nCANCELLED  in "))
        #expect(text.hasSuffix("\nanswer: 12 files are done, 36 are left"), "\(text)")
    }

    @Test("a second Ctrl-C ends it at once")
    func twice() throws {
        let typist = try Typist(
            steps: [("begun", "^C"), ("once more", "^C")], CommandRun.program, "run",
            CommandRun.errand("stubborn"), "--grace", "10min")
        #expect(typist.code == 130)
        // Other threads may just have had something to say as well.
        #expect(
            typist.lines.contains("ended at once; the task had not answered"), "\(typist.lines)")
    }

    @Test(
        "SIGTERM does the same in a pipe", arguments: [("TERM", 143), ("INT", 130), ("HUP", 129)])
    func terminated(name: String, code: Int) throws {
        let typist = try Typist(
            columns: nil, steps: [("12 of 48 files", name)], CommandRun.program, "run",
            CommandRun.errand("waits"))
        #expect(typist.code == Int32(code))
        #expect(typist.screen.contains("SIG\(name) "))
        #expect(typist.screen.contains("\nCANCELLED  in "))
    }

    @Test("JSON tells the signal and the outcome")
    func json() throws {
        let typist = try Typist(
            columns: nil, steps: [("12 of 48 files", "INT")], CommandRun.program, "run",
            CommandRun.errand("waits"), "--json")
        #expect(typist.code == 130)
        #expect(typist.screen.contains(#""event":"signal","signal":"SIGINT"}"#))
        #expect(typist.screen.contains(#""outcome":"cancelled""#))
        #expect(typist.screen.contains(#""exit":130}"#))
    }

    @Test("what the parent has it ignore stays ignored")
    func ignored() throws {
        let typist = try Typist(
            columns: nil, steps: [("12 of 48 files", "HUP")], "nohup", CommandRun.program, "run",
            CommandRun.errand("waits"), "--budget", "900ms")
        #expect(typist.code == 124)
        #expect(!typist.screen.contains("SIGHUP"))
    }

    @Test("a reader that leaves ends it quietly, as it does other programs")
    func brokenPipe() throws {
        let shell = #"set -o pipefail; "$0" run "$1" | head -n 1 >&2; echo "${PIPESTATUS[0]}""#
        let run = try ChildProcess.run(
            "bash", ["-c", shell, CommandRun.program, CommandRun.errand("waits")],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(run.output == "141\n", "\(run)")
        #expect(run.errorOutput.hasPrefix(CommandRun.errand("waits")))
        #expect(run.errorOutput.split(separator: "\n").count == 1, "\(run)")
    }

    @Test("output that cannot be written is an error")
    func full() throws {
        let run = try ChildProcess.run(
            "bash", ["-c", #""$0" version >/dev/full"#, CommandRun.program],
            environment: CommandRun.environment)
        #expect(run.ending == .exited(1))
        #expect(
            run.errorOutput
                == "error: cannot write to standard output: No space left on device\n")
    }

    @Test(
        "output that cannot be written is told by the status, whatever came of the task",
        arguments: ["works", "fails", "chatters", "waits"])
    func fullRun(errand: String) throws {
        // What the task has come to by the time the write fails is chance; a few times show it.
        for _ in 1...3 {
            let run = try ChildProcess.run(
                "bash",
                [
                    "-c", #""$0" run "$1" >/dev/full"#, CommandRun.program,
                    CommandRun.errand(errand),
                ],
                environment: CommandRun.environment, limit: .seconds(60))
            #expect(run.ending == .exited(1), "\(run)")
            #expect(
                run.errorOutput
                    == "error: cannot write to standard output: No space left on device\n")
        }
    }

    @Test("a second signal ends it with its own status, and help knows each")
    func statuses() throws {
        let twice = try Typist(
            columns: nil, steps: [("begun", "HUP"), ("once more", "TERM")], CommandRun.program,
            "run", CommandRun.errand("stubborn"), "--grace", "10min")
        #expect(twice.code == 143)
        let help = try CommandRun("help", "run").output.replacing(/\s+/, with: " ")
        for status in ["130 SIGINT", "143 SIGTERM", "129 SIGHUP"] {
            #expect(help.contains(status))
        }
    }
}
