// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew run --event-log")
struct EventLogTests {
    static func records(_ path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let object = value as? [String: Any] else {
                throw CocoaError(.propertyListReadCorrupt)
            }
            return object
        }
    }

    private static func events(_ records: [[String: Any]]) -> [String] {
        records.map { $0["event"] as? String ?? "?" }
    }

    @Test("a file has what --json writes, the screen stays, and a second run is added")
    func file() throws {
        let files = try TemporaryDirectory()
        let log = files.path("log")
        let plain = try CommandRun("run", CommandRun.errand("works"))
        let run = try CommandRun("run", CommandRun.errand("works"), "--event-log", log)
        #expect(run.code == 0)
        #expect(run.life == plain.life)
        let json = try CommandRun("run", CommandRun.errand("works"), "--json").records()
        #expect(Self.events(try Self.records(log)) == Self.events(json))
        _ = try CommandRun("run", "org.curfew.nothing", "--event-log", log)
        let all = try Self.records(log)
        #expect(all.count == json.count + 1)
        #expect(all.last?["exit"] as? Int == 127)
    }

    @Test("- is standard output, and what is for a person goes to standard error")
    func standardOutput() throws {
        let run = try CommandRun("run", CommandRun.errand("works"), "--event-log", "-")
        #expect(run.code == 0)
        #expect(Self.events(try run.records()).last == "outcome")
        #expect(run.errors.contains("SUCCEEDED  in "))
        let both = try CommandRun("run", CommandRun.errand("works"), "--json", "--event-log", "-")
        #expect(both.code == 2)
        #expect(both.errors.contains("both want standard output"))
    }

    @Test("a log that cannot be written is an error before anything runs")
    func unwritable() throws {
        let files = try TemporaryDirectory()
        let run = try CommandRun(
            "run", CommandRun.errand("works"), "--event-log", files.path("no/log"))
        #expect(run.code == 125)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("no/log` cannot be written: No such file or directory\n"))
        #expect(mkfifo(files.path("pipe"), 0o600) == 0)
        let pipe = try CommandRun(
            "run", CommandRun.errand("works"), "--event-log", files.path("pipe"))
        #expect(pipe.code == 125)
        #expect(pipe.errors.contains("it is a named pipe without a reader"))
    }

    @Test("a log that is full stops the task, and is told")
    func full() throws {
        let run = try CommandRun("run", CommandRun.errand("waits"), "--event-log", "/dev/full")
        #expect(run.code == 1, "\(run.process)")
        #expect(
            run.errors.contains(
                "error: cannot write to the event log `/dev/full`: No space left on device\n"))
        // A task that was quicker was not cancelled.
        for _ in 1...5 {
            let quick = try CommandRun(
                "run", CommandRun.errand("works"), "--event-log", "/dev/full")
            #expect(quick.code == 1, "\(quick.process)")
            #expect(
                quick.errors.contains("the task was cancelled then")
                    == quick.output.contains("\nCANCELLED  in "), "\(quick.process)")
        }
    }

    @Test("each event is there before the next one comes")
    func live() throws {
        let files = try TemporaryDirectory()
        let log = files.path("log")
        // Whoever follows the log sees the task while it waits.
        let follow = """
            import subprocess, sys, time
            child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
            while True:
                try:
                    if '"progress"' in open(sys.argv[1]).read():
                        break
                except FileNotFoundError:
                    pass
                if child.poll() is not None:
                    sys.exit("it ended before its progress was there")
            child.terminate()
            sys.exit(child.wait())
            """
        let run = try ChildProcess.run(
            "python3",
            ["-c", follow, log, CommandRun.program, "run", CommandRun.errand("waits")]
                + ["--event-log", log],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(run.ending == .exited(143), "\(run)")
    }

    @Test("every object has the members that help tells, and no others")
    func members() throws {
        let files = try TemporaryDirectory()
        let log = files.path("log")
        for name in ["works", "fails", "chatters"] {
            _ = try CommandRun("run", CommandRun.errand(name), "--event-log", log)
        }
        _ = try CommandRun("run", "org.curfew.test.patient", "--event-log", log)
        _ = try CommandRun("run", "org.curfew.test.refuses", "--event-log", log)
        _ = try CommandRun(
            "run", CommandRun.errand("echoes"), "--payload", "@/bin/true", "--event-log", log)
        var seen: [String: Set<String>] = [:]
        for record in try Self.records(log) {
            let event = try #require(record["event"] as? String)
            seen[event, default: []].formUnion(Set(record.keys).subtracting(["event", "time"]))
        }
        let rows = try CommandFaces.rows("EVENTS", ofPage: "run")
        #expect(Set(seen.keys) == Set(rows.keys).subtracting(["signal", "gap"]))
        for (event, members) in seen {
            let text = try #require(rows[event])
            let told =
                text.contains(": ")
                ? Set(text.prefix { $0 != ":" }.split(separator: ", ").map(String.init)) : []
            #expect(told == members, "\(event)")
        }
    }
}
