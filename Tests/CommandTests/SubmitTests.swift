// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew submit")
struct SubmitTests {
    @Test(
        "prints number, date, needs and store, and that no host is running")
    func screen() throws {
        let desk = try RequestDesk()
        let run = try desk.run(
            "submit", CommandRun.errand("waits"), "--at", "2190-12-24T18:00", "--needs",
            "network,external-power", "--attempts", "3", "--back-off", "1min")
        #expect(run.code == 0)
        #expect(
            run.output.replacing(/in [0-9]+ d( [0-9]+ h)?/, with: "in …") == """
                queued  1  org.curfew.test.errands.waits, processing, due 2190-12-24 18:00:00, in …
                        needs network, external-power
                        3 attempts, pauses from 60 s to 6 h
                        stored in \(desk.store)
                        follow it: curfew show 1 --store \(desk.store)

                """, "\(run.process)")
        #expect(
            run.errors == """
                note: no host uses this store, so nothing is launched; start one: curfew serve --store \(desk.store)

                """)
    }

    @Test("what is printed is in the store: the whole description")
    func description() throws {
        let desk = try RequestDesk()
        let submitted = try desk.run(
            "submit", CommandRun.errand("works"), "--cron", "30 4 * * 1", "--local", "--catch-up",
            "all", "--jitter", "5min", "--priority", "high", "--key", "weekly", "--on-pending",
            "add", "--payload", "-", "--json", input: "a\u{0}b")
        let document = try submitted.document()
        #expect(document["status"] as? String == "queued")
        #expect(document["host"] is NSNull)
        let shown = try desk.run("show", "1", "--json").document()
        #expect(shown["kind"] as? String == "app-refresh")
        #expect(shown["priority"] as? String == "high")
        #expect(shown["onPending"] as? String == "add")
        #expect(shown["key"] as? String == "weekly")
        #expect(shown["payloadBytes"] as? Int == 3)
        let repetition = try #require(shown["repetition"] as? [String: Any])
        #expect(repetition["cron"] as? String == "30 4 * * 1")
        #expect(repetition["local"] as? Bool == true)
        #expect(repetition["catchUp"] as? String == "all")
        #expect(repetition["jitter"] as? Double == 300)
        #expect(try desk.run("show", "1", "--payload").process.outputBytes == Array("a\u{0}b".utf8))
    }

    @Test(
        "dates of every form mean the same moment",
        arguments: [
            "2190-12-24T18:00:00Z", "2190-12-24T18:00", "2190-12-24 18:00",
            "2190-12-24T19:00+01:00",
            "2190-12-24T18:00:00.000Z", "2190-12-24T12:30-0530", "2190-12-24T20:00+02",
        ])
    func dates(text: String) throws {
        let desk = try RequestDesk()
        let run = try desk.run("submit", "org.example.a", "--at", text, "--json")
        let request = try #require(try run.document()["request"] as? [String: Any])
        #expect(request["due"] as? String == "2190-12-24T18:00:00.000Z")
    }

    @Test("a date without a zone is the machine's, and one that its clock leaves out is none")
    func zone() throws {
        let files = try TemporaryDirectory()
        func due(_ text: String) throws -> CommandRun {
            try CommandRun(
                "submit", "org.example.a", "--at", text, "--json", "--store", files.path("s"),
                "--on-pending", "replace",
                environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
        }
        let summer = try #require(
            try due("2190-07-01T12:00").document()["request"] as? [String: Any])
        #expect(summer["due"] as? String == "2190-07-01T10:00:00.000Z")
        let winter = try #require(
            try due("2190-12-24T12:00").document()["request"] as? [String: Any])
        #expect(winter["due"] as? String == "2190-12-24T11:00:00.000Z")
        let never = try due("2190-03-28T02:30")
        #expect(never.code == 2)
        #expect(never.errors.contains("`2190-03-28T02:30` does not exist here"))
    }

    @Test("a time without a day is the next one, and the next one that the clock shows")
    func times() throws {
        // The clock of a simulation begins at 2026-01-01 00:00 UTC.
        func due(_ time: String, zone: String, after steps: String...) throws -> String? {
            let process = try ChildProcess.run(
                CommandRun.program,
                ["simulate", CommandRun.errand("works")] + steps + ["submit:at=\(time)"],
                environment: CommandRun.environment.merging(["TZ": zone]) { $1 })
            let run = CommandRun(process: process)
            #expect(run.code == 0, "\(run.process)")
            return run.output.firstMatch(of: /request 1, due (in .*)/).map { String($0.1) }
        }
        #expect(try due("03:00", zone: "UTC") == "in 3 h")
        #expect(try due("00:00", zone: "UTC") == "in 24 h")
        #expect(try due("00:00:01.5", zone: "UTC") == "in 1 s")
        #expect(try due("03:00Z", zone: "CET-1") == "in 3 h")
        #expect(try due("03:00", zone: "CET-1") == "in 2 h")
        #expect(try due("03:00-05:00", zone: "CET-1") == "in 8 h")
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
        // 12:00 UTC of the day before the clock goes from 02:00 to 03:00: the day after has 02:30.
        #expect(
            try due("02:30", zone: berlin, after: "advance=86d", "advance=12h") == "in 36 h 30 min")
        #expect(try due("03:00", zone: berlin, after: "advance=86d", "advance=12h") == "in 13 h")
        // 00:45 UTC of the day when it goes from 03:00 to 02:00 is 02:45, for the first time.
        #expect(
            try due("02:30", zone: berlin, after: "advance=297d", "advance=45min") == "in 45 min")
    }

    @Test(
        "a date of the last year that there is can be meant, and none after it",
        arguments: [
            ("2200-01-01T00:00:01Z", true), ("2200-12-31T23:59:59.999999999Z", true),
            ("2200-12-31T23:00-02:00", false), ("2201-01-01", false),
        ])
    func lastYear(text: String, isDate: Bool) throws {
        let run = try RequestDesk().run("submit", "org.example.a", "--at", text)
        #expect(run.code == (isDate ? 0 : 2), "\(run.process)")
        #expect(isDate || run.errors.contains("not in the years 1970 to 2200"), "\(run.process)")
    }

    @Test("a date that has passed is told, with what comes of it")
    func passed() throws {
        let desk = try RequestDesk()
        let once = try desk.run("submit", "org.example.a", "--at", "2001-02-03", "--json")
        #expect(once.code == 0)
        #expect(
            once.errors.contains(
                #/^note: 2001-02-03 00:00:00 has passed, \d+ d( \d+ h)? ago: the request may begin at once\n/#
            ), "\(once.process)")
        let often = try desk.run(
            "submit", "org.example.a", "--at", "2001-02-03", "--every", "1d", "--catch-up", "all")
        #expect(often.errors.contains("those that passed are treated as `--catch-up all` has it"))
        let coming = try desk.run("submit", "org.example.a", "--at", "03:00", "--json")
        #expect(coming.errors == "")
    }

    @Test("all that a hint of a date shows can be typed", arguments: ["--at", "--latest"])
    func hints(option: String) throws {
        let desk = try RequestDesk()
        let run = try desk.run("submit", "org.example.a", option, "3 o'clock")
        let hints = run.errors.matches(of: /`(--[a-z]+) ([^`]*)`/).map {
            [String($0.1), String($0.2)]
        }
        #expect(hints.count == 3, "\(run.process)")
        for hint in hints {
            let typed = try desk.run(["submit", "org.example.a", "--json"] + hint)
            #expect(typed.code == 0 && typed.errors == "", "\(typed.process)")
        }
    }

    @Test(
        "what cannot be meant is refused, says what to write, and submits nothing",
        arguments: [
            (["--at", "tomorrow"], "`tomorrow` is not a date"),
            (["--at", "2190-02-30"], "`2190-02-30` is no day of the calendar"),
            (["--at", "25:00"], "`25:00` has a time that no clock shows"),
            (["--at", "03:00 "], "`03:00 ` has ` ` at its end"),
            (["--at", "3:00"], "`3:00` is not a date"),
            (["--at", "2190-12-24T25:00"], "`2190-12-24T25:00` has a time that no clock shows"),
            (["--at", "2190-12-24T18:00Zx"], "`2190-12-24T18:00Zx` has `x` at its end"),
            (["--at", "2190-12-24T18:00:00.1234567890"], "has a part of a second"),
            (["--at", "1066-10-14"], "`1066-10-14` is not in the years 1970 to 2200"),
            (["--after", "15 minutes"], "did you mean `--after 15min`?"),
            (["--after", "1"], "did you mean `--after 1s`?"),
            (["--after", "900d"], "`--after 900d` is out of bounds"),
            (["--after", "99999999999999d"], "`--after 99999999999999d` is out of bounds"),
            (["--after", "99999999999999d"], "from 0 s to 366 days, with nine digits"),
            (["--every", "0"], "write a span from 1 s to 366 days: `--every 15min`"),
            (["--at", "2190-12-24", "--after", "1h"], "`--at` and `--after` say the same thing"),
            (["--latest", "2001-01-01"], "`--latest 2001-01-01` has passed"),
            (["--every", "10ms"], "`--every 10ms` is out of bounds"),
            (["--cron", "61 * * * *"], "the minute: \"61\" is not in 0…59"),
            (["--cron", "1 2 3"], "the expression: has 3 fields, not 5"),
            (["--cron", "CRON_TZ=Mars 1 2 * * *"], "there is no time zone `Mars` on this machine"),
            (["--cron", "CRON_TZ=europe/berlin 1 2 * * *"], "did you mean `Europe/Berlin`?"),
            (["--cron", "CRON_TZ=utc 1 2 * * *"], "did you mean `UTC`?"),
            (
                ["--cron", "TZ=Europe/Berlin 30 4 * * *"],
                "write `CRON_TZ=Europe/Berlin 30 4 * * *`"
            ),
            (
                ["--cron", "CRON_TZ=/etc 1 2 * * *"],
                "the expression: has no name of a time zone after CRON_TZ="
            ),
            (["--cron", "CRON_TZ=Asia/Tokyo 1 2 * * *", "--utc"], "name two zones"),
            (["--every", "1h", "--local"], "`--local` is about the dates of `--cron`"),
            (["--local"], "`--local` is about the dates of `--cron`"),
            (
                ["--local", "--utc", "--latest", "2190-12-24"],
                "`--local` and `--utc` name two zones"
            ),
            (
                ["--jitter", "1s", "--latest", "2190-12-24"],
                "a request with `--latest` is not repeated"
            ),
            (["--catch-up", "one"], "`--catch-up` is about a request that is repeated"),
            (["--needs", "coffee"], "`coffee` is nothing that a request can need"),
            (["--priority", "hihg"], "did you mean `--priority high`?"),
            (["--kind", "refresh"], "`--kind refresh` is not known"),
            (["--back-off", "1min"], "`--back-off` without `--attempts`"),
            (["--attempts", "0"], "`--attempts 0` is not a number from 1 to 100"),
            (
                ["--pending-limit", "1000001"],
                "`--pending-limit 1000001` is not a number from 1 to 1,000,000"
            ),
            (["--payload", "@/nowhere/at/all"], "the payload cannot be read"),
            (["--key", String(repeating: "k", count: 300)], "the key must have 1…256 bytes"),
        ])
    func refused(options: [String], reason: String) throws {
        let desk = try RequestDesk()
        let run = try desk.run(["submit", "org.example.a"] + options)
        #expect(run.code == 2, "\(run.process)")
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(reason), "\(run.process)")
        #expect(run.errors.contains("  = note: nothing was "), "\(run.process)")
        #expect(!FileManager.default.fileExists(atPath: desk.store))
    }

    @Test(
        "what a refusal suggests is taken",
        arguments: [
            ("--every 0", "", 1), ("--every 5", "", 1), ("--after '15 minutes'", "", 1),
            ("--after soon", "", 1), ("--every 1h --jitter 400", "--every 1h", 1),
            ("--local", "--local", 1),
            ("--catch-up one", "--catch-up one", 2), ("--jitter 5s", "--jitter 5s", 2),
            ("--back-off 1min", "--back-off 1min", 1), ("--attempts 0", "", 1),
            ("--attempts 3 --back-off 0", "--attempts 3", 1), ("--needs coffee", "", 3),
            ("--priority hihg", "", 1), ("--on-pending ad", "", 1), ("--pending-limit 0", "", 1),
        ])
    func suggestions(typed: String, kept: String, count: Int) throws {
        let desk = try RequestDesk()
        func submit(_ options: String) throws -> ChildProcess {
            try ChildProcess.run(
                "/bin/sh",
                ["-c", #"exec "$0" submit org.example.a --store "$1" \#(options)"#]
                    + [CommandRun.program, desk.store],
                environment: CommandRun.environment, input: "", limit: .seconds(60))
        }
        let refused = try submit(typed)
        #expect(refused.ending == .exited(2), "\(refused)")
        let help = refused.errorOutput.split(separator: "\n").drop { !$0.contains("= help:") }
        let hints = help.joined(separator: "\n").matches(of: /`(--[a-z-]+ [^`]+)`/).map(\.1)
        let usable = hints.filter { !$0.hasSuffix(" ") }
        #expect(usable.count == count, "\(refused)")
        for hint in usable {
            let run = try submit("\(kept) \(hint)")
            #expect(run.ending == .exited(0), "\(hint): \(run)")
        }
    }

    @Test(
        "a zone that the machine does not know is told where a date is of it",
        arguments: ["Nowhere/Land", ":Nowhere/Land", "CET", "/etc/passwd"])
    func unknownZone(name: String) throws {
        let desk = try RequestDesk()
        func submit(_ zone: String, _ options: String...) throws -> CommandRun {
            let process = try ChildProcess.run(
                CommandRun.program,
                ["submit", "org.example.a", "--json", "--store", desk.store] + options,
                // No files of zones are there.
                environment: CommandRun.environment.merging(
                    ["TZ": zone, "TZDIR": desk.files.path]) { $1 }, limit: .seconds(60))
            let run = CommandRun(process: process)
            #expect(run.code == 0, "\(process)")
            return run
        }
        let local = [
            ["--at", "03:00"], ["--at", "2190-12-24"], ["--latest", "2190-12-24T18:00"],
            ["--cron", "30 4 * * 1"],
        ]
        let note = "note: TZ is `\(name)`, which is no time zone of this machine: "
        for options in local {
            let run = try submit(
                name, options[0], options[1], options.count > 2 ? options[2] : "--json")
            #expect(run.errors.hasPrefix(note), "\(options): \(run.process)")
        }
        #expect(try submit(name, "--at", "03:00Z").errors == "")
        #expect(try submit(name, "--at", "2190-12-24T18:00-05:00").errors == "")
        #expect(try submit(name, "--cron", "30 4 * * 1", "--utc").errors == "")
        for zone in ["", "UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", ":EST5"] {
            #expect(try submit(zone, "--at", "03:00").errors == "", "\(zone)")
        }
        let simulated = try ChildProcess.run(
            CommandRun.program, ["simulate", CommandRun.errand("works"), "submit:at=03:00"],
            environment: CommandRun.environment.merging(["TZ": name, "TZDIR": desk.files.path]) {
                $1
            },
            limit: .seconds(60))
        #expect(simulated.output.contains("TZ is `\(name)`"), "\(simulated)")
    }

    @Test("what is no identifier is refused")
    func identifier() throws {
        let run = try RequestDesk().run("submit", "tidy")
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("error: `tidy` is not an identifier\n"))
        #expect(run.errors.contains("for a program: curfew submit -- tidy\n"))
    }

    @Test("the kind is the manifest's, and an undeclared handler is reported")
    func kinds() throws {
        let desk = try RequestDesk()
        let unknown = try desk.run("submit", "org.curfew.test.errands.wait", "--after", "1d")
        #expect(unknown.output.contains("wait, app-refresh, due "))
        #expect(unknown.errors.contains("so its kind is app-refresh"))
        #expect(unknown.errors.contains("did you mean `org.curfew.test.errands.waits`?"))
        let known = try desk.run(
            "submit", CommandRun.errand("waits"), "--after", "1d", "--kind", "health-research")
        #expect(known.output.contains("waits, health-research, due "))
        #expect(!known.errors.contains("kind"))
    }

    @Test("a key makes the second one the first, unless it asks for something else")
    func keys() throws {
        let desk = try RequestDesk()
        #expect(try desk.submit("org.example.a", "--key", "k") == 1)
        let again = try desk.run(
            "submit", "org.example.a", "--kind", "processing", "--at", "2190-12-24T18:00Z", "--key",
            "k")
        #expect(again.code == 0)
        #expect(again.output.hasPrefix("duplicate-key  1  "))
        let other = try desk.run("submit", "org.example.a", "--key", "k", "--needs", "power")
        #expect(other.code == 8)
        #expect(
            other.errors == """
                error: request 1 has the key `k`, and asks for something else
                  = note: nothing was submitted
                  = help: give this one another key
                          curfew show 1 --store \(desk.store)

                """)
    }

    @Test("a second one is added, or replaces or keeps the pending one if that is asked for")
    func onPending() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a")
        let pending = try desk.run(
            "submit", "org.example.a", "--kind", "processing", "--on-pending", "keep")
        #expect(pending.output.hasPrefix("duplicate-pending  1  "))
        #expect(try desk.submit("org.example.a") == 2)
        let replacing = try desk.run(
            "submit", "org.example.a", "--kind", "processing", "--after", "1d", "--on-pending",
            "replace")
        #expect(replacing.output.contains("takes the place of 1, 2\n"))
        let listed = try desk.run("ps", "--history", "--json").document()
        let requests = try #require(listed["requests"] as? [[String: Any]])
        #expect(requests.map { $0["state"] as? String } == ["replaced", "replaced"])
    }

    @Test("a limit of pending requests of an identifier is said when it is reached")
    func limits() throws {
        let desk = try RequestDesk()
        let submit = ["submit", "org.example.a", "--after", "1d", "--pending-limit"]
        #expect(try desk.run(submit + ["2"]).code == 0)
        #expect(try desk.run(submit + ["2"]).code == 0)
        let refused = try desk.run(submit + ["2"])
        #expect(refused.code == 8)
        #expect(
            refused.errors.contains("the limit of 2 pending requests of org.example.a is reached"),
            "\(refused.process)")
        #expect(refused.errors.contains("raise it with --pending-limit"), "\(refused.process)")
        #expect(
            try desk.run("submit", "org.example.b", "--after", "1d", "--pending-limit", "1").code
                == 0)
        #expect(try desk.run(submit + ["1000000"]).code == 0)
    }

    @Test("without --store it is the environment's, and below the user's state")
    func places() throws {
        let files = try TemporaryDirectory()
        for (variables, store) in [
            (["CURFEW_STORE": files.path("named"), "HOME": files.path("home")], "named"),
            (
                ["XDG_STATE_HOME": files.path("state"), "HOME": files.path("home")],
                "state/curfew/store"
            ),
            (
                ["XDG_STATE_HOME": "state", "HOME": files.path("home")],
                "home/.local/state/curfew/store"
            ),
        ] {
            let run = try CommandRun(
                "submit", "org.example.a", "--after", "1d", environment: variables)
            #expect(run.code == 0, "\(run.process)")
            #expect(run.output.contains("stored in \(files.path(store))\n"))
            #expect(run.output.hasSuffix("follow it: curfew show 1\n"))
            var facts = stat()
            #expect(stat(files.path(store), &facts) == 0 && facts.st_mode & 0o777 == 0o700)
            #expect(try CommandRun("ps", environment: variables).output.contains("org.example.a"))
        }
        let nowhere = try CommandRun("submit", "org.example.a")
        #expect(nowhere.code == 2)
        #expect(nowhere.errors.contains("there is no usual place for a store: HOME is not set"))
    }

    @Test("a store in a place that is not there is missing, and not denied")
    func nowhere() throws {
        for place in ["/dev/null/store", "/nowhere/store"] {
            let run = try CommandRun("submit", "org.example.a", "--store", place)
            #expect(run.code == 4, "\(run.process)")
            #expect(
                run.errors.hasPrefix(
                    "error[CF0012]: the store's directory \(place) cannot be made: "),
                "\(run.process)")
        }
    }

    @Test("the host that has the store is named, and told")
    func host() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a")
        let said = try desk.python(
            """
            lock = open(store + "/lock", "w+")
            fcntl.fcntl(lock, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            lock.truncate(0)
            lock.write("4711 1 boot 1767225600\\n")
            lock.flush()
            open(store + "/wake", "a").close()
            os.utime(store + "/wake", (0, 0))
            done = run("submit", "org.example.b", "--after", "1d", "--json")
            print(json.loads(done[1])["host"], done[2], os.stat(store + "/wake").st_mtime > 0)
            """)
        #expect(
            said.output
                == "{'process': 4711, 'since': '2026-01-01T00:00:00.000Z'}  True\n", "\(said)")
    }
}
