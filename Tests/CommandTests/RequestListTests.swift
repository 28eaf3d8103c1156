// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew ps, show, why and log")
struct RequestListTests {
    private func filled() throws -> RequestDesk {
        let desk = try RequestDesk()
        try desk.submit("org.example.mirror", "--needs", "network,power", "--attempts", "3")
        try desk.submit("org.example.a-very-long-name.of-some-handler.that-nobody-reads")
        try desk.submit("org.example.gone")
        #expect(try desk.run("cancel", "3").code == 0)
        return desk
    }

    @Test("in a pipe no cell has a blank, nothing is coloured, and all columns are there")
    func pipe() throws {
        let run = try filled().run("ps")
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.map(\.count) == [7, 7, 7])
        #expect(lines[0] == ["ID", "IDENTIFIER", "STATE", "DUE", "AT", "TRIES", "NEEDS"])
        #expect(lines[1][4] == "2190-12-24T18:00:00Z")
        #expect(lines[1][5...] == ["0/3", "network,external-power"])
        #expect(lines[2][5...] == ["0/1", "-"])
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\t"))
        #expect(run.errors.isEmpty)
    }

    @Test("what is over is shown when it is asked for, and other identifiers are not")
    func choices() throws {
        let desk = try filled()
        func ids(_ words: String...) throws -> [Int] {
            let document = try desk.run(["ps", "--json"] + words).document()
            return (document["requests"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
        }
        #expect(try ids() == [1, 2])
        #expect(try ids("--all") == [1, 2, 3])
        #expect(try ids("--history") == [3])
        #expect(try ids("--identifier", "org.example.mirror") == [1])
        #expect(try ids("--limit", "1") == [1])
        #expect(try desk.run("ps", "--limit", "1").errors == "note: 1 more; --limit 2 shows all\n")
        #expect(try desk.run("ps", "--limit", "1", "--json").document()["more"] as? Int == 1)
        let nothing = try desk.run("ps", "--identifier", "org.example.nothing")
        #expect(nothing.code == 0 && nothing.output.isEmpty)
        #expect(nothing.errors.hasPrefix("no request is pending or running\n"))
        #expect(try desk.run("ps", "--all", "--history").code == 2)
        #expect(try desk.run("ps", "--limit", "none").code == 2)
    }

    @Test("a program is shown by its command line, and a request that is over has no due date")
    func programs() throws {
        let desk = try RequestDesk()
        let submitted = try CommandRun(
            "submit", "--at", "2190-12-24T18:00Z", "--store", desk.store, "--",
            "sh", "-c", "echo a b")
        #expect(submitted.code == 0)
        try desk.submit("org.example.gone")
        #expect(try desk.run("cancel", "2").code == 0)
        let listed = try desk.run("ps", "--all").output.split(separator: "\n")
            .map { $0.split(separator: " ") }
        #expect(listed[1][1] == "org.curfew.command")
        #expect(listed[2][2...3] == ["cancelled", "-"])
        #expect(try desk.type("ps").lines.contains { $0.contains("  sh -c 'echo a b'  ") })
        let document = try desk.run("ps", "--json").document()
        let requests = try #require(document["requests"] as? [[String: Any]])
        let words = try #require(requests[0]["argv"] as? [String])
        #expect(words.dropFirst() == ["-c", "echo a b"])
    }

    @Test("of an identifier that is misspelt the one that is meant is named")
    func misspelt() throws {
        let desk = try filled()
        let meant =
            "did you mean `curfew ps --identifier org.example.mirror --store \(desk.store)`?"
        #expect(try desk.run("ps", "--identifier", "org.example.miror").errors.contains(meant))
        let cancelled = try desk.run("cancel", "--identifier", "org.example.miror")
        #expect(
            cancelled.errors.contains("did you mean `curfew cancel --identifier org.example.mirror")
        )
        let gone = try desk.run("ps", "--identifier", "org.example.gone")
        #expect(!gone.errors.contains("did you mean"))
    }

    @Test("why and log take several requests, and ranges")
    func several() throws {
        let desk = try filled()
        let why = try desk.run("why", "1-2", "org.example.gone", "--json").records()
        #expect(why.map { $0["request"] as? Int } == [1, 2, nil])
        let entries = try desk.run("log", "2-3", "--json").records()
        #expect(entries.map { $0["request"] as? Int } == [2, 3, 3])
        #expect(try desk.run("log", "2-3", "--limit", "2", "--json").records().count == 2)
        #expect(
            try desk.run("log", "1", "3", "--after", "1", "--limit", "1", "--json").records()
                .map { $0["request"] as? Int } == [3])
        #expect(try desk.run("why", "2-1").code == 2)
        #expect(try desk.run("log", "8-9").code == 4)
    }

    @Test("more than a page of requests: the first by date are shown, and the others counted")
    func many() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.first")
        let said = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            names = [c[1] for c in db.execute("PRAGMA table_info(request)") if c[1] != "id"]
            due = next(n for n in names if "before" in n)
            for i in range(2500):
                values = ", ".join(f"{due} - {i}" if n == due else n for n in names)
                db.execute(f"INSERT INTO request ({', '.join(names)}) SELECT {values} FROM request WHERE id = 1")
            db.execute("UPDATE journal SET app_refresh = app_refresh + 2500")
            db.commit()
            code, out, errors = run("ps", "--limit", "2", "--json")
            document = json.loads(out)
            print(code, [r["id"] for r in document["requests"]], document["more"])
            """)
        #expect(said.output == "0 [2501, 2500] 2499\n", "\(said)")
    }

    @Test("at a terminal the host is named first, and nothing is wider than it")
    func terminal() throws {
        let desk = try filled()
        for columns in [80, 40] {
            let typist = try desk.type(columns: columns, "ps")
            #expect(typist.code == 0)
            #expect(typist.lines.first?.hasPrefix("no host uses this store") == true)
            #expect(typist.lines.allSatisfy { $0.count <= columns }, "\(typist.lines)")
        }
        let said = try desk.python(
            """
            import pty
            lock = open(store + "/lock", "w+")
            fcntl.fcntl(lock, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            lock.truncate(0)
            lock.write("4711 1 boot 1767225600\\n")
            lock.flush()
            pty.spawn([program, "ps", "--no-color", "--store", store])
            """)
        #expect(said.output.hasPrefix("host: process 4711, since "), "\(said)")
    }

    @Test("at a terminal a request that is due is listed with what it waits for")
    func waiting() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.first", "--needs", "network")
        try desk.submit("org.example.later", "--needs", "power")
        let said = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("UPDATE request SET not_before = 0 WHERE id = 1")
            db.execute("UPDATE journal SET what = 22, detail = 'network, rate: the cable is out' WHERE request = 1")
            db.commit()
            """)
        try #require(said.succeeded, "\(said)")
        let lines = Array(try desk.type(columns: 100, "ps").lines.suffix(3))
        try #require(lines.count == 3)
        #expect(lines[0].hasSuffix("  WAITS FOR"))
        #expect(lines[1].hasSuffix("  network, rate"))
        #expect(lines[2].hasSuffix("  external-power"))
        #expect(try desk.run("ps").output.contains("NEEDS"))
    }

    @Test("show has every date, and leads to what can be done; the payload only when asked")
    func show() throws {
        let desk = try RequestDesk()
        try desk.submit(
            "org.example.mirror", "--payload", "geheim", "--key", "nightly", "--needs", "power")
        let run = try desk.run("show", "1")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("request 1  org.example.mirror  pending\n"))
        #expect(run.output.contains("\n  due         2190-12-24 18:00:00, in "))
        #expect(run.output.contains("\n  payload     6 bytes\n"))
        #expect(run.output.contains("\n  key         nightly\n"))
        #expect(run.output.hasSuffix("\nnext: curfew why 1 --store \(desk.store)\n"))
        #expect(!run.output.contains("geheim"))
        #expect(try desk.run("show", "1", "--payload").output == "geheim")
        #expect(try desk.run("show", "1", "--payload", "--json").code == 2)
        let typist = try desk.type(columns: 60, "show", "1")
        #expect(
            typist.lines.allSatisfy { $0.count <= 60 || $0.contains("curfew ") }, "\(typist.lines)")
        let document = try desk.run("show", "1", "--json").document()
        let journal = try #require(document["journal"] as? [[String: Any]])
        #expect(journal.map { $0["what"] as? String } == ["submitted"])
    }

    @Test("why: the host that is not there, the date, what is no reason, and the earliest date")
    func why() throws {
        let desk = try filled()
        let run = try desk.run("why", "2")
        #expect(run.code == 0)
        #expect(run.output.contains("  no host uses this store, so nothing is launched\n"))
        #expect(run.output.contains("  not before its date, until 2190-12-24 18:00:00, in "))
        #expect(run.output.contains("\nnot waiting for: "))
        #expect(run.output.contains(" enablement (enabled)"))
        #expect(run.output.contains("\nunknown from here: "))
        #expect(run.output.contains("\nearliest possible: 2190-12-24 18:00:00, in "))
        #expect(run.output.contains("\nhistory: "))
        let over = try desk.run("why", "3")
        #expect(over.output.hasPrefix("request 3, org.example.gone, is over: cancelled, "))
        let document = try desk.run("why", "org.example.mirror", "--json").document()
        #expect(document["request"] as? Int == 1)
        let factors = try #require(document["factors"] as? [[String: Any]])
        let holding = factors.filter { $0["holds"] as? Bool == true }.map {
            $0["factor"] as? String
        }
        #expect(holding.contains("host") && holding.contains("date"))
        #expect(
            factors.first?["holds"] as? Bool == true && factors.last?["holds"] as? Bool == false)
        let asked = try desk.run(
            "why", "org.example.mirror", "--kind", "continued-processing", "--json"
        ).document()
        #expect(asked["request"] is NSNull)
        #expect(try desk.run("why", "1", "--kind", "processing").code == 2)
        #expect(try desk.run("why", "what?").code == 2)
    }

    @Test("a request whose host was killed is not shown as running")
    func hostGone() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a")
        let killed = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("UPDATE request SET state = 2, launches = 1")
            db.commit()
            """)
        #expect(killed.succeeded, "\(killed)")
        let listed = try desk.run("ps")
        #expect(listed.output.contains(" host-gone ") && !listed.output.contains("running"))
        let gone = try desk.run("ps", "--state", "host-gone")
        #expect(gone.output.contains(" host-gone "), "\(gone)")
        let running = try desk.run("ps", "--state", "running,pending")
        #expect(running.code == 0 && running.output.isEmpty)
        #expect(running.errors.hasPrefix("no request is in such a state\n"))
        let list = try desk.run("ps", "--json").document()
        #expect(list["host"] is NSNull)
        #expect((list["requests"] as? [[String: Any]])?.first?["state"] as? String == "host-gone")
        let shown = try desk.run("show", "1")
        #expect(shown.output.hasPrefix("request 1  org.example.a  host-gone\n"))
        #expect(shown.output.contains("its host has ended; the next one takes it up"))
        for command in ["show", "why"] {
            let document = try desk.run(command, "1", "--json").document()
            #expect(document["state"] as? String == "host-gone")
        }
    }

    @Test("an identifier that no plugin has is the first reason, and what was meant is suggested")
    func unhandled() throws {
        let desk = try RequestDesk()
        try desk.submit("org.curfew.test.errands.wait")
        let run = try desk.run("why", "1")
        #expect(run.output.contains("  1. handler  "))
        #expect(run.errors.contains("did you mean `org.curfew.test.errands.waits`?"))
        let document = try desk.run("why", "1", "--json").document()
        let factors = try #require(document["factors"] as? [[String: Any]])
        #expect(factors.first?["factor"] as? String == "handler")
        #expect(document["seen"] is NSNull)
    }

    @Test("what people have set is a reason, and settings say it")
    func settings() throws {
        let desk = try filled()
        #expect(
            try desk.run("settings").output
                == "nothing is set: everything is enabled, and may refresh\n")
        let set = try desk.run(
            "settings", "enablement=suspended", "--identifier", "org.example.mirror")
        #expect(set.code == 0)
        #expect(
            set.output
                == "identifier org.example.mirror  enablement suspended, refresh-setting available\n"
        )
        let why = try desk.run("why", "1")
        #expect(why.output.contains("enablement       suspended (settings)\n"), "\(why.process)")
        #expect(why.output.contains("\nnext: curfew settings --store "))
        #expect(
            try desk.run(
                "settings", "enablement=enabled", "--identifier", "org.example.mirror", "--json"
            ).output == "{\"settings\":[]}\n")
        for words in [["enablement=maybe"], ["x"], ["network=no"]] {
            #expect(try desk.run(["settings"] + words).code == 2)
        }
        #expect(try desk.run("settings", "--identifier", "org.example.mirror").code == 2)
        #expect(
            try desk.run("settings", "enablement=enabled", "--identifier", "no identifier").code
                == 2)
        for (option, list) in [
            ("--identifier", ".plugins[].handlers[].identifier"), ("--plugin-id", ".plugins[].id"),
        ] {
            let refused = try desk.run("settings", "enablement=enabled", option, "no name")
            #expect(
                refused.errors.hasSuffix("  = help: curfew plugins --json | jq -r '\(list)'\n"),
                "\(refused.process)")
        }
    }

    @Test("log: one line each, of all or of one, from any number on; a gap is told")
    func log() throws {
        let desk = try filled()
        let all = try desk.run("log")
        let lines = all.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("     1  "))
        #expect(lines[0].hasSuffix("Z  request 1 org.example.mirror submitted"))
        #expect(lines[3].hasSuffix("request 3 org.example.gone cancelled"))
        #expect(try desk.run("log", "3").output.split(separator: "\n").count == 2)
        #expect(try desk.run("log", "--limit", "1").output.hasPrefix("     4  "))
        #expect(try desk.run("log", "--after", "2", "--limit", "1").output.hasPrefix("     3  "))
        let records = try desk.run("log", "--json").records()
        #expect(records.map { $0["sequence"] as? Int } == [1, 2, 3, 4])
        #expect(records[3]["what"] as? String == "cancelled")

        let cut = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("DELETE FROM journal WHERE sequence IN (2, 3)")
            db.commit()
            """)
        #expect(cut.succeeded, "\(cut)")
        #expect(
            try desk.run("log").output.contains("\n     2  gap: 2 entries are no longer kept\n")
        )
        #expect(try desk.run("log", "--json").records()[1]["missing"] as? Int == 2)
        #expect(try desk.run("log", "9").code == 4)
        #expect(try desk.run("log", "--after", "x").code == 2)
    }

    @Test("following shows requests of other processes, and ends with SIGINT or a closed output")
    func follow() throws {
        let desk = try filled()
        let said = try desk.python(
            """
            follow = subprocess.Popen(
                [program, "log", "--follow", "--limit", "1", "--store", store],
                stdout=subprocess.PIPE, text=True,
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
            print(follow.stdout.readline().split()[-1])
            follow.send_signal(signal.SIGHUP)
            run("submit", "org.example.new", "--after", "1d")
            print(follow.stdout.readline().split()[-2:])
            follow.send_signal(signal.SIGINT)
            print(follow.wait())
            follow = subprocess.Popen(
                [program, "log", "--follow", "--store", store], stdout=subprocess.PIPE, text=True)
            follow.stdout.readline()
            follow.stdout.close()
            follow.wait()
            print("left")
            """)
        #expect(said.output == "cancelled\n['org.example.new', 'submitted']\n0\nleft\n", "\(said)")
    }

    @Test("a shell is offered the numbers of requests")
    func completion() throws {
        let desk = try filled()
        let run = try ChildProcess.run(
            CommandRun.program, ["__complete", "show", "--store", desk.store, ""],
            environment: CommandRun.environment)
        #expect(run.output.contains("\n1\torg.example.mirror, pending\n"))
        #expect(!run.output.contains("\n3\t"))
    }
}
