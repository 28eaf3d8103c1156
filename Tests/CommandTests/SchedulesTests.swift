// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew serve` with a configuration, and `curfew schedules`.
@Suite("Schedules of a configuration")
struct SchedulesTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    private func write(_ text: String, to name: String = "curfew.json") throws {
        let path = files.path("home/.config/curfew/" + name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private var environment: [String: String] {
        CommandRun.environment.merging(["HOME": files.path("home"), "TZ": "UTC"]) { $1 }
    }

    private func run(_ words: String...) throws -> CommandRun {
        CommandRun(
            process: try ChildProcess.run(
                CommandRun.program, words, environment: environment, directory: files.path,
                limit: .seconds(60)))
    }

    @Test(
        "lines below the level of the configuration are left out, and the level counts after a reload"
    )
    func logLevel() throws {
        try write(
            """
            {"log": {"level": "error", "format": "json"}, "schedules": [
                {"name": "tick", "command": ["/bin/sh", "-c", "echo said"], "every": "1s"}]}
            """)
        let script = """
            import json, os, signal, subprocess, sys
            program, file = sys.argv[1:3]
            host = subprocess.Popen([program, "serve"], stdout=subprocess.PIPE, text=True)
            line = json.loads(host.stdout.readline())
            print(line["event"])
            def ran(): return sum(each["state"] == "running" or each["launches"] for each in json.loads(
                subprocess.run([program, "ps", "--json"], capture_output=True, text=True).stdout)["requests"])
            while not ran(): pass
            text = open(file).read().replace('"error"', '"info"')
            open(file, "w").write(text)
            print(subprocess.run([program, "reload"], capture_output=True, text=True).stdout, end="")
            seen = set()
            while not {"planned", "ended", "info"} <= seen:
                line = json.loads(host.stdout.readline())
                seen |= {line["event"], line.get("level")}
            host.send_signal(signal.SIGTERM)
            rest = [json.loads(line)["event"] for line in host.stdout]
            print(host.wait(), "stopping" in rest)
            """
        let run = try ChildProcess.run(
            "python3",
            ["-c", script, CommandRun.program, files.path("home/.config/curfew/curfew.json")],
            environment: environment, directory: files.path, limit: .seconds(60))
        #expect(
            run.output == """
                serving
                1 schedule
                0 True

                """, "\(run)")
    }

    /// Serves until a line of its JSON is as a condition in Python says, of `e` and of `events`, ends it
    /// in order, and returns all lines.
    private func serve(until condition: String, _ words: String...) throws -> [[String: Any]] {
        let script = """
            import json, signal, subprocess, sys, time
            def why(text):
                # The host tells of its limits a moment after it serves.
                end = time.monotonic() + 20
                subprocess.run([sys.argv[1], "submit", "org.example.a", "--after", "1h", "--key", "a"],
                               capture_output=True)
                while time.monotonic() < end:
                    done = subprocess.run([sys.argv[1], "why", "1"], capture_output=True, text=True)
                    if text in done.stdout: return True
            host = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
            events = []
            for line in host.stdout:
                e = json.loads(line)
                events.append(e)
                if host.poll() is None and (\(condition)):
                    host.send_signal(signal.SIGTERM)
            code = host.wait()
            print(json.dumps({"code": code, "events": events}))
            """
        let run = try ChildProcess.run(
            "python3", ["-c", script, CommandRun.program, "serve", "--json"] + words,
            environment: environment, directory: files.path, limit: .seconds(60))
        let answer =
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        try #require(answer?["code"] as? Int == 0, "\(run)")
        return try #require(answer?["events"] as? [[String: Any]])
    }

    private func planned(_ events: [[String: Any]]) -> [String: Any]? {
        events.first { $0["event"] as? String == "planned" }
    }

    private func schedules() throws -> [String: [String: Any]] {
        let run = try run("schedules", "--json")
        let rows = try #require(try run.document()["schedules"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"] as? String ?? "", $0) })
    }

    @Test("the smallest configuration runs its command at each date")
    func smallest() throws {
        let ticks = files.path("ticks")
        try write(
            """
            {"schedules":[{"name":"tick","every":"1s","payload":"in\\n","command":
            ["/bin/sh","-c","cat >> \(ticks); echo $CURFEW_SCHEDULE $CURFEW_REQUEST >> \(ticks)"]}]}
            """)
        let check = try run("serve", "--check")
        #expect(
            check.code == 0 && check.output.contains("tick  every 1 s; next "), "\(check.process)")
        #expect(try run("schedules").code == 4)
        let events = try serve(until: "sum(x['event'] == 'ended' for x in events) == 3")
        #expect(planned(events)?["added"] as? [String] == ["tick"])
        let lines = try String(contentsOfFile: ticks, encoding: .utf8).split(separator: "\n")
        #expect(lines.count >= 6 && lines.prefix(2) == ["in", "tick 1"])
        let row = try #require(try schedules()["tick"])
        #expect(row["state"] as? String == "pending" && row["last"] as? String == "succeeded")
        #expect(row["request"] as? Int == 1 && row["rule"] as? String == "every 1 s")
    }

    @Test("what is equal goes on, what is changed is replaced, what is gone is removed")
    func changes() throws {
        func schedule(_ name: String, _ command: String = "true") -> String {
            "{\"name\":\"\(name)\",\"command\":[\"/bin/\(command)\"],\"cron\":\"0 3 * * *\"}"
        }
        try write("{\"schedules\":[\(schedule("a")),\(schedule("b")),\(schedule("c"))]}")
        var events = try serve(until: "e['event'] == 'planned'")
        #expect(planned(events)?["added"] as? [String] == ["a", "b", "c"])
        let first = try schedules()

        // In another order and another file, the second one changed.
        try write("{\"schedules\":[\(schedule("b", "false"))]}")
        try write("{ \"schedules\": [ \(schedule("a")) ] }", to: "conf.d/more.json")
        events = try serve(until: "e['event'] == 'planned'")
        let plan = try #require(planned(events))
        #expect(plan["changed"] as? [String] == ["b"] && plan["removed"] as? [String] == ["c"])
        #expect(plan["kept"] as? Int == 1 && plan["added"] as? [String] == [])
        let second = try schedules()
        #expect(second.keys.sorted() == ["a", "b"])
        #expect(second["a"]?["request"] as? Int == first["a"]?["request"] as? Int)
        #expect((second["a"]?["source"] as? String)?.hasSuffix("/conf.d/more.json") == true)
        let old = try #require(first["b"]?["request"] as? Int)
        let new = try #require(second["b"]?["request"] as? Int)
        #expect(old == new && second["b"]?["next"] as? String == first["b"]?["next"] as? String)
        let shown = try run("show", "\(old)").output
        #expect(shown.contains("by the changed schedule b") && shown.contains("/bin/false"))
    }

    @Test("a request that was cancelled by hand stays so over a start, and is restarted by name")
    func cancelled() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        _ = try serve(until: "e['event'] == 'planned'")
        #expect(try run("cancel", "1").code == 0)
        let events = try serve(until: "e['event'] == 'planned'")
        #expect(planned(events)?["over"] as? [String] == ["a"])
        #expect(try schedules()["a"]?["state"] as? String == "cancelled")
        let restarted = try run("schedules", "--restart", "a")
        #expect(restarted.output.contains("request 1, due"), "\(restarted.process)")
        #expect(try schedules()["a"]?["state"] as? String == "pending")

        let launched = try run("schedules", "--launch", "a")
        #expect(launched.output == "launched  a  request 1, due now\n", "\(launched.process)")
        let both = try run("schedules", "--launch", "--restart", "a")
        #expect(both.code == 2 && both.errors.contains("two changes"), "\(both.process)")
        let other = try run("schedules", "--launch", "a", "b")
        #expect(
            other.code == 4 && other.errors.contains("no schedule was launched"), "\(other.process)"
        )

        let again = try run("schedules", "--restart", "a")
        #expect(again.code == 8 && again.errors.contains("is not over"), "\(again.process)")
        let unknown = try run("schedules", "--restart", "a", "b")
        #expect(unknown.errors.contains("no schedule was restarted"), "\(unknown.process)")
        #expect(try run("schedules", "b").code == 4)
    }

    @Test("a configuration with faults changes nothing, and every fault is shown with its place")
    func faults() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        _ = try serve(until: "e['event'] == 'planned'")
        try write("{\"schedules\":[\n{\"name\":\"A\",\"command\":[\"true\"],\"evry\":\"1h\"}]}")
        for words in [["serve"], ["serve", "--check"]] {
            let run = try CommandRun(
                process: ChildProcess.run(
                    CommandRun.program, words, environment: environment, limit: .seconds(60)))
            #expect(run.code == 1)
            #expect(
                run.errors.contains("curfew.json:2:9")
                    && run.errors.contains("did you mean `every`?"))
            #expect(run.errors.contains("nothing was changed"))
        }
        #expect(try schedules()["a"]?["state"] as? String == "pending")
        // The commands find the store that it names, as the host did that has read it before it had a fault.
        let elsewhere = files.path("elsewhere")
        #expect(try run("submit", "--store", elsewhere, "--", "true").code == 0)
        try write("{\"store\": \"\(elsewhere)\", \"schedules\": [{\"evry\": \"1h\"}]}")
        let listed = try run("ps")
        #expect(listed.output.contains("org.curfew.command"), "\(listed.process)")
    }

    @Test("a configuration that others could write is not read")
    func untrusted() throws {
        try write("{}")
        chmod(files.path("home/.config/curfew/curfew.json"), 0o666)
        let run = try run("serve")
        #expect(run.code == 1 && run.errors.contains("CF0501"), "\(run.process)")
        #expect(run.errors.contains("chmod o-w "), "\(run.process)")
    }

    @Test("a check names programs that are not there")
    func missing() throws {
        try write(
            "{\"schedules\":[{\"name\":\"a\",\"command\":[\"/nowhere/a\"],\"every\":\"1h\"}]}")
        let check = try run("serve", "--check")
        #expect(
            check.code == 1 && check.output.contains("/nowhere/a: No such file"), "\(check.process)"
        )
        try write(
            """
            {"schedules":[{"name":"a","identifier":"org.curfew.test.patien","every":"1h"},
            {"name":"b","identifier":"org.curfew.test.patient","every":"1h"}]}
            """)
        let identifiers = try run("serve", "--check")
        #expect(
            identifiers.code == 1
                && identifiers.output.contains(
                    "schedule a: no plugin found here has a handler for org.curfew.test.patien; did you mean `org.curfew.test.patient`?"
                ) && !identifiers.output.contains("schedule b:"), "\(identifiers.process)")
        let none = try run("serve", "--check", "--config", files.path("none.json"))
        #expect(none.code == 1 && none.errors.contains("none.json"), "\(none.process)")
    }

    @Test(
        "thresholds of the configuration count, the command line counts more, and faults are told")
    func thresholds() throws {
        try write("{\"thresholds\": {\"place-limit\": 3, \"history\": \"30d\"}}")
        let events = try serve(until: "e['event'] == 'serving' and why('of 3 tasks run')")
        #expect(!events.isEmpty)
        let other = try serve(
            until: "e['event'] == 'serving' and why('of 5 tasks run')", "--threshold",
            "place-limit=5")
        #expect(!other.isEmpty)
        try write(
            """
            {"thresholds": {
            "place-limits": 3,
            "history": "30",
            "low-battery": "200%",
            "place-limit": true}}
            """)
        let check = try run("serve", "--check")
        #expect(check.code == 1, "\(check.process)")
        for text in [
            "curfew.json:2:1", "did you mean `place-limit`?", "curfew.json:3:12",
            "the threshold `history` cannot be `30`", "write a share from 1% to 100%",
            "a threshold must be text or a number, not true",
        ] { #expect(check.errors.contains(text), "\(text): \(check.process)") }
    }

    @Test("the configuration of the usual store is not that of another one")
    func otherStore() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        let events = try serve(until: "e['event'] == 'serving'", "--store", files.path("other"))
        #expect(planned(events) == nil)
    }

    @Test("settings of the configuration count, and the command line counts more")
    func settings() throws {
        let store = files.path("configured")
        try write("{\"store\":\"\(store)\",\"plugins\":{\"directories\":[\"\(files.path)\"]}}")
        let events = try serve(until: "e['event'] == 'serving'")
        #expect(events.first?["store"] as? String == store)
        #expect((events.first?["plugins"] as? [String])?.isEmpty == true)
        let other = files.path("other")
        let named = try serve(
            until: "e['event'] == 'serving'", "--store", other, "--config",
            files.path("home/.config/curfew/curfew.json"))
        #expect(named.first?["store"] as? String == other)
    }

    @Test("the output of a command goes where the file says, and to no named pipe")
    func output() throws {
        let (file, pipe) = (files.path("fetch.log"), files.path("pipe"))
        try "before\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(mkfifo(pipe, 0o600) == 0)
        func schedule(_ name: String, _ output: String) -> String {
            """
            {"name": "\(name)", "every": "1s", "output": "\(output)",
             "command": ["/bin/sh", "-c", "echo said by \(name); echo wrong >&2"]}
            """
        }
        try write(
            """
            {"schedules": [\(schedule("kept", file)), \(schedule("gone", "discard")),
                           \(schedule("piped", pipe)), \(schedule("logged", "log"))]}
            """)
        let events = try serve(
            until: "len({e['request'] for e in events if e['event'] == 'ended'}) == 4")
        let texts = events.filter { $0["event"] as? String == "log" }.compactMap {
            $0["text"] as? String
        }
        #expect(texts.contains("said by logged"))
        #expect(!texts.contains("said by kept") && !texts.contains("said by gone"), "\(texts)")
        let kept = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(kept.prefix(3) == ["before", "said by kept", "wrong"], "\(kept)")
        let failed = events.filter { $0["succeeded"] as? Bool == false }
        #expect(
            failed.allSatisfy {
                ($0["error"] as? String)?.contains("\(pipe) for its output cannot be opened")
                    == true
            } && !failed.isEmpty, "\(failed)")
        let id = try #require(schedules()["kept"]?["request"] as? Int)
        #expect(try run("show", "\(id)").output.contains("output      \(file)\n"))
    }

    @Test(
        "a plugin is loaded only with the features of the sandbox that the configuration requires")
    func required() throws {
        let plugin = BuiltProducts.testPluginDirectory("process")
        func configuration(_ members: String) -> String {
            """
            {"plugins": {"directories": ["\(plugin)"], \(members)},
             "schedules": [{"name": "one", "identifier": "org.curfew.test.process.one", "every": "1s"}]}
            """
        }
        func refusal(_ members: String) throws -> String {
            try write(configuration(members))
            let events = try serve(until: "e['event'] == 'refused'")
            return events.compactMap { $0["error"] as? String }.joined()
        }
        #expect(
            try refusal(#""require": ["death signal", "no network"]"#).contains(
                "requires what does not hold for org.curfew.test.process: no network: its manifest has no `needs` for it; nothing of it was run"
            ))
        #expect(
            try refusal(#""require": ["death signal"], "isolation": "thread""#).contains(
                "is to run in a thread, and this host requires what only a process has"))
        try write(configuration(#""require": ["death signal", "no new privileges"]"#))
        let events = try serve(until: "e['event'] in ('refused', 'ended')")
        #expect(events.last { $0["event"] as? String == "ended" }?["succeeded"] as? Bool == true)
    }

    @Test("SIGHUP has a host without a terminal read its configuration again")
    func reload() throws {
        func schedule(_ name: String) -> String {
            "{\"name\":\"\(name)\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}"
        }
        try write("{\"schedules\":[\(schedule("a"))]}")
        let script = """
            import json, os, signal, subprocess, sys
            path = os.environ["HOME"] + "/.config/curfew/curfew.json"
            host = subprocess.Popen(
                [sys.argv[1], "serve", "--json"], stdout=subprocess.PIPE, text=True,
                start_new_session=True)
            def wait(*names, text=""):
                for line in host.stdout:
                    event = json.loads(line)
                    if event["event"] in names and text in event.get("text", ""):
                        return event
            def reload(text):
                with open(path, "w") as file:
                    file.write(text)
                host.send_signal(signal.SIGHUP)
                return wait("planned", "faulty")
            wait("planned")
            first = reload(sys.argv[2])
            faulty = reload("{")
            second = reload('{"schedules": [], "store": "/elsewhere"}')
            warning = wait("log", text="`store` of the configuration")
            host.send_signal(signal.SIGTERM)
            print(json.dumps([first, faulty, second, warning, host.wait()]))
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", script, CommandRun.program,
                "{\"schedules\":[\(schedule("a")),\(schedule("b"))]}",
            ], environment: environment, limit: .seconds(60))
        let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [Any]
        try #require(answer?.count == 5, "\(run)")
        let events = answer?.prefix(4).compactMap { $0 as? [String: Any] } ?? []
        #expect(events[0]["added"] as? [String] == ["b"] && events[0]["kept"] as? Int == 1)
        #expect((events[1]["error"] as? String)?.contains("CF01") == true, "\(events[1])")
        #expect(events[2]["removed"] as? [String] == ["a", "b"])
        #expect((events[3]["text"] as? String)?.contains("counts once it is started again") == true)
        #expect(answer?[4] as? Int == 0)
    }

    @Test("what the file does not have any more is not launched, however long it is due")
    func planFirst() throws {
        let old = files.path("old")
        try write(
            "{\"schedules\":[{\"name\":\"a\",\"command\":[\"/usr/bin/touch\",\"\(old)\"],\"every\":\"1s\"}]}"
        )
        _ = try serve(until: "e['event'] == 'planned'")
        try? FileManager.default.removeItem(atPath: old)
        // Due an hour ago, as after a night without a host.
        let done = try ChildProcess.run(
            "sqlite3",
            [
                files.path("home/.local/state/curfew/store/requests.db"),
                "UPDATE request SET not_before = 1, nominal = 1",
            ])
        #expect(done.succeeded, "\(done)")
        try write("{\"schedules\":[]}")
        let events = try serve(until: "e['event'] == 'planned'")
        #expect(planned(events)?["removed"] as? [String] == ["a"])
        #expect(!events.contains { ($0["text"] as? String)?.contains("touch") == true })
        #expect(!FileManager.default.fileExists(atPath: old))
    }

    @Test("a file that is away takes no schedule along, and a link to nothing is a fault")
    func away() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        _ = try serve(until: "e['event'] == 'planned'")
        let path = files.path("home/.config/curfew/curfew.json")
        try FileManager.default.removeItem(atPath: path)
        let events = try serve(until: "e['event'] == 'serving'")
        #expect(planned(events) == nil)
        #expect(events.contains { ($0["text"] as? String)?.contains("stays as it is") == true })
        #expect(try schedules()["a"]?["state"] as? String == "pending")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: files.path("nothing"))
        let run = try run("serve")
        #expect(run.code == 1 && run.errors.contains("CF0501"), "\(run.process)")
    }

    @Test("durations of any length reach the program, and no grace is none")
    func durations() throws {
        try write(
            """
            {"schedules":[{"name":"a","every":"1s","budget":"200.5ms","grace":"0s",
            "command":["/bin/sh","-c","trap '' TERM; sleep 30; sleep 30"]}]}
            """)
        let start = SuspendingClock.now
        let events = try serve(until: "e['event'] == 'ended'")
        let end = try #require(events.first { $0["event"] as? String == "ended" })
        #expect((end["error"] as? String)?.contains("payload") == false, "\(end)")
        #expect(end["succeeded"] as? Bool == false)
        // A grace of 5 s, the handler's, would be over later.
        #expect(SuspendingClock.now - start < .seconds(5))
    }

    @Test("a check as JSON has the faults with their places, or each next date")
    func checkAsJSON() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        let sound = try run("serve", "--check", "--json").document()
        #expect(sound["ok"] as? Bool == true)
        let rows = try #require(sound["schedules"] as? [[String: Any]])
        #expect(rows[0]["name"] as? String == "a" && rows[0]["next"] is String)
        try write("{\"schedules\":[\n7]}")
        let run = try run("serve", "--check", "--json")
        let faults = try #require(try run.document()["faults"] as? [[String: Any]])
        #expect(run.code == 1 && faults[0]["line"] as? Int == 2)
    }
}
