// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Several hosts of `curfew serve` on one store on a server of PostgreSQL, by default with a lease of three seconds.
@Suite(
    "Hosts that share a queue", .serialized,
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct SharedStoreTests {
    /// Runs a script in Python, and returns what it printed. `run` calls the command, `start` starts a host, and
    /// `journal` returns the entries of the journal without their numbers, which it checks.
    ///
    /// - Parameters:
    ///   - standby: a server that may take the place of the other one.
    ///   - lease: seconds of silence after which a host is taken for dead.
    private func run(
        _ script: String, on server: PostgresServer, standby: PostgresServer? = nil, lease: Int = 3
    ) throws -> String {
        let files = try TemporaryDirectory()
        let head = """
            import collections, json, os, re, signal, subprocess, sys, time
            program, store, *control = sys.argv[1:]
            # Words that control the server; after `--`, those that control its standby.
            control, promote = (control[:control.index("--")], control[control.index("--") + 1:])
            data = control[control.index("-D") + 1]
            def sql(*statements):
                words = [word for statement in statements for word in ("-c", statement)]
                place = os.path.dirname(data)
                return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-h", place, "-U", "curfew", "postgres", *words],
                    check=True, capture_output=True, text=True).stdout.strip()
            def run(*words):
                done = subprocess.run([program, words[0], "--store", store, *words[1:]], capture_output=True, text=True)
                return done.returncode, done.stdout + done.stderr
            hosts = []
            def start(*words, wait=True, before=[]):
                log = f"host-{len(hosts)}"
                with open(log, "w") as output:
                    host = subprocess.Popen([*before, program, "serve", "--store", store, *words], stdout=output, start_new_session=True)
                hosts.append(host)
                if wait: until(lambda: " serving " in open(log).read())
                return host
            def submit(script, *words):
                code, text = run("submit", "--json", *words, "--", "/bin/sh", "-c", script)
                assert code == 0, text
                return json.loads(text)["request"]["id"]
            def journal():
                code, text = run("log", "--limit", "10000")
                assert code == 0, text
                entries = [re.split(r" +", line.strip(), maxsplit=2) for line in text.splitlines()]
                assert [int(entry[0]) for entry in entries] == list(range(1, len(entries) + 1)), text
                return [entry[2] for entry in entries]
            def until(condition, limit=40):
                end = time.monotonic() + limit
                while not (found := condition()):
                    if time.monotonic() > end:
                        logs = [open(f"host-{number}").read()[-3000:] for number in range(len(hosts))]
                        sys.exit("it did not come to that:\\n" + "\\n".join([run("log", "--limit", "10000")[1]] + logs))
                    time.sleep(0.02)
                return found
            def count(what):
                return sum(1 for entry in journal() if what in entry)
            def check(requests):
                entries = journal()
                for request in requests:
                    ends = [entry for entry in entries if entry.startswith(f"request {request} ") and " finished" in entry]
                    assert len(ends) == 1, (request, ends)
                launches = [entry.split(":")[0] for entry in entries if " launched" in entry]
                return len(launches)
            try:

            """
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        let tail = """

                for host in hosts:
                    if host.poll() is None: host.send_signal(signal.SIGTERM)
                print("ended", *(host.wait(30) for host in hosts))
            finally:
                for host in hosts:
                    if host.poll() is None: os.killpg(host.pid, signal.SIGKILL)
            """
        try files.write(head + body + tail, to: "script.py")
        let run = try ChildProcess.run(
            "python3",
            [
                "-B", files.path("script.py"), CommandRun.program,
                server.url("&curfew.lease=\(lease)", standby: standby),
            ]
                + server.control + ["--"] + (standby?.control ?? []),
            environment: CommandRun.environment.merging([
                "HOME": files.path, "CURFEW_PLUGIN_PATH": files.path("none"),
                "XDG_RUNTIME_DIR": files.path,
            ]) { $1 }, directory: files.path)
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test(
        "A host that is killed: another one takes over what ran in it, and every request ends once")
    func killed() throws {
        let output = try run(
            """
            a, b = start(), start()
            requests = [submit("sleep 1", "--attempts", "2") for _ in range(6)]
            until(lambda: count(" launched") == 6)
            a.kill()
            begun = time.monotonic()
            until(lambda: count(" finished") == 6)
            print("lost", count("host-lost"), "launched again", check(requests) > 6, "in time",
                time.monotonic() - begun < 30)
            """, on: .shared)
        #expect(output == "lost 1 launched again True in time True\nended -9 0\n")
    }

    @Test(
        "A host that was stopped for too long: what it did does not count, and it goes on as another one"
    )
    func stopped() throws {
        let output = try run(
            """
            a = start()
            request = submit("sleep 1", "--attempts", "2")
            until(lambda: count(" launched") == 1)
            b = start()
            os.killpg(a.pid, signal.SIGSTOP)
            until(lambda: count("host-lost") == 1)
            until(lambda: count(" finished") == 1)
            os.killpg(a.pid, signal.SIGCONT)
            until(lambda: count("fenced") == 1)
            b.send_signal(signal.SIGTERM)
            b.wait(30)
            other = submit("true")
            until(lambda: count(" finished") == 2)
            print(check([request, other]), count("host-started"))
            """, on: .shared)
        #expect(output == "3 3\nended 0 0\n")
    }

    @Test(
        "A host that was stopped for too long: a task whose handler says so goes on beside the other one"
    )
    func overlapping() throws {
        let output = try run(
            """
            os.makedirs("none/slow")
            with open("none/slow/manifest.json", "w") as out:
                def handler(name, **more):
                    return {"identifier": "org.example." + name, "kind": "processing", "form": "command", **more,
                        "command": {"argv": ["/bin/sh", "-c", f"sleep 5; echo end >>{os.getcwd()}/{name}"]}}
                json.dump({"id": "org.example.slow", "version": "1.0.0", "abi": 0,
                    "handlers": [handler("stops"), handler("goes-on", onLeaseLost="finish")]}, out)
            def ends(name): return open(name).read().count("end") if os.path.exists(name) else 0
            a = start()
            for name in ("stops", "goes-on"): print(run("submit", "org.example." + name)[0])
            until(lambda: count(" launched") == 2)
            b = start()
            os.kill(a.pid, signal.SIGSTOP)
            until(lambda: count("host-lost") == 1)
            os.kill(a.pid, signal.SIGCONT)
            until(lambda: count(" finished") == 2 and count("fenced") == 2)
            until(lambda: ends("goes-on") == 2)
            print(ends("stops"), count(" finished: succeeded"), check([1, 2]))
            """, on: .shared)
        #expect(output == "0\n0\n1 2 4\nended 0 0\n")
    }

    @Test(
        "The next version expands the tables while hosts of this one work; one that they cannot use keeps them out"
    )
    func upgraded() throws {
        let output = try run(
            """
            schema = re.search(r"curfew.schema=(\\w+)", store)[1]
            a, b = start(), start()
            requests = [submit("sleep 0.2", "--attempts", "3") for _ in range(6)]
            tables = sql(f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'").split()
            sql("BEGIN", f"SET LOCAL search_path TO {schema}", "CREATE TABLE addition (id bigint)",
                *(f"ALTER TABLE {table} ADD COLUMN addition bigint NOT NULL DEFAULT 7" for table in tables if table != "store"),
                "UPDATE store SET version = version + 1", "COMMIT")
            sql(f"CREATE INDEX CONCURRENTLY ON {schema}.request (addition)")
            requests += [submit("sleep 0.2", "--attempts", "3") for _ in range(6)]
            c = start()
            a.send_signal(signal.SIGTERM)
            print(a.wait(30))
            requests += [submit("true", "--attempts", "3") for _ in range(6)]
            until(lambda: count(" finished") == len(requests))
            print(len(tables) > 5, check(requests) >= len(requests), run("db", "migrate")[0])
            print([name for name in os.listdir() if name.startswith("host-") and "the store: " in open(name).read()])

            b.send_signal(signal.SIGTERM)
            b.wait(30)
            os.kill(c.pid, signal.SIGSTOP)
            until(lambda: run("hosts", "--json")[1].count('"silent"') == 1)
            # What the next version does with hosts that are silent.
            sql("BEGIN", f"SET LOCAL search_path TO {schema}", "UPDATE store SET version = version + 1, oldest = version + 1",
                "UPDATE host SET ended_at = 1 WHERE ended_at IS NULL", "ALTER TABLE host DROP COLUMN knows", "COMMIT")
            os.kill(c.pid, signal.SIGCONT)
            until(lambda: "which need a Curfew that knows version" in open("host-2").read())
            code, text = run("submit", "--", "true")
            print(code, "install the Curfew that made them" in text)
            """, on: .shared)
        #expect(
            output == """
                0
                True True 0
                []
                6 True
                ended 0 0 0

                """)
    }

    @Test("What is committed while a host looks is found without a notice")
    func unseen() throws {
        let output = try run(
            """
            schema = re.search(r"curfew.schema=(\\w+)", store)[1]
            start()
            request = submit("true", "--after", "1d")
            # Other hosts see its place in the order at once, and the change two seconds later, without a notice.
            sql("BEGIN", f"SET LOCAL search_path TO {schema}", f"UPDATE request SET not_before = 1 WHERE id = {request}",
                "INSERT INTO turn (id, entries) VALUES (nextval('turn_id'), 0)", "SELECT pg_sleep(2)", "COMMIT")
            until(lambda: count(" finished") == 1)
            print(check([request]))
            """, on: .shared)
        #expect(output == "1\nended 0\n")
    }

    @Test("A host whose store is named by the environment makes no directory for it")
    func environment() throws {
        let output = try run(
            """
            with open("host-0", "w") as output:
                hosts.append(subprocess.Popen([program, "serve"], stdout=output, start_new_session=True,
                    env={**os.environ, "CURFEW_STORE": store}))
            until(lambda: " serving " in open("host-0").read())
            print([name for name in os.listdir() if name.startswith("postgres")])
            """, on: .shared)
        #expect(output == "[]\nended 0\n")
    }

    @Test("Each host is listed, can be drained from anywhere, and says why it launches nothing")
    func listed() throws {
        let output = try run(
            """
            def listed():
                code, text = run("hosts", "--json")
                assert code == 0, text
                return json.loads(text)["hosts"]
            print(run("hosts")[0])
            a, b = start(), start()
            print([(host["host"], host["process"] in (a.pid, b.pid), host["state"]) for host in listed()])
            print(run("drain", "3")[0], run("drain", "x")[0], run("drain", "1", "--end")[0])
            print(run("drain", "1")[1].split(" (")[0], [host["state"] for host in listed()])
            request = submit("sleep 30")
            until(lambda: count(" launched") == 1)
            print([host["requests"] for host in listed()])
            print(json.loads(run("show", str(request), "--json")[1])["runsIn"]["host"],
                f"runs in host 2 (process {b.pid} on " in run("show", str(request))[1],
                f" is running in host 2 (process {b.pid} on " in run("why", str(request))[1])
            print(run("drain", "2", "--timeout", "100ms")[0])
            other = submit("true")
            code, text = run("why", str(other), "--json")
            why = json.loads(text)
            print(code, why["held"], [(host["host"], [factor["factor"] for factor in host["factors"] if factor["holds"]]) for host in why["hosts"]])
            code, text = run("why", str(other))
            print("type `curfew drain 1 --end`" in text or "type `curfew drain 2 --end`" in text)
            print(run("drain", "1", "--end")[0], run("cancel", str(request))[0])
            until(lambda: count(" finished") == 1)
            print(run("drain", "2", "--end", "--timeout", "1s")[0], run("drain", "2", "--timeout", "9s")[0])
            print([(host["state"], host["requests"]) for host in listed()])
            b.send_signal(signal.SIGTERM)
            b.wait(30)
            print(run("drain", "2")[0], [host["host"] for host in listed()])
            print("1 more" in run("doctor")[1], run("db", "migrate")[0], run("db", "check")[0])
            """, on: .shared, lease: 10)
        #expect(
            output == """
                4
                [(1, True, 'works'), (2, True, 'works')]
                4 2 0
                host 1 ['drained', 'works']
                [[], [1]]
                2 True True
                7
                0 True [(1, ['host']), (2, ['host'])]
                True
                0 0
                2 0
                [('works', []), ('drained', [])]
                4 [1]
                False 0 0
                ended 0 0

                """)
    }

    @Test(
        "A host whose clock is wrong goes by the server's, and nobody takes it for dead",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime"),
            "faketime is not installed"))
    func clocks() throws {
        let output = try run(
            """
            def at_date(shift):
                # The program passes on no signals.
                return start(before=["faketime", "-f", shift, "sh", "-c", f'echo $$ >"pid{shift}"; exec "$@"', "sh"])
            hosts_of = {shift: at_date(shift) for shift in ("+600s", "-365d")}
            requests = [submit("true", "--after", "2s") for _ in range(4)]
            until(lambda: count(" finished") == 4)
            code, text = run("log", "--json", "--limit", "10000")
            entries = [json.loads(line) for line in text.splitlines()]
            def at(what, request):
                return [entry["at"] for entry in entries if entry["what"] == what and entry["request"] == request]
            def seconds(text):
                return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float(text[19:-1])
            for request in requests:
                (begun,), (launched,) = at("submitted", request), at("launched", request)
                assert 1.9 < seconds(launched) - seconds(begun) < 20, (begun, launched)
            code, text = run("doctor")
            print(check(requests), count("host-lost"), "store's server" in text)
            for shift, host in hosts_of.items():
                os.kill(int(open(f"pid{shift}").read()), signal.SIGTERM)
                host.wait(30)
            """, on: .shared, lease: 10)
        #expect(output == "4 0 False\nended 0 0\n")
    }

    @Test(
        "The schedules of several copies of a service are stored once, and each copy has its own socket"
    )
    func copies() throws {
        let output = try run(
            """
            def write(name, set, *names):
                schedules = [{"name": each, "command": ["/bin/true"], "every": "1h"} for each in names]
                with open(name, "w") as file: json.dump({"scheduleSet": set, "schedules": schedules} if set else {"schedules": schedules}, file)
            write("all.json", "", *[f"task-{number}" for number in range(20)])
            write("web.json", "web", "task-1")
            copies = [start("--config", "all.json", wait=False) for _ in range(4)]
            for number in range(4): until(lambda: " serving " in open(f"host-{number}").read())
            web = start("--config", "web.json")
            code, text = run("schedules", "--json")
            rows = json.loads(text)["schedules"]
            print(code, len(rows), sum(row["name"].startswith("web/") for row in rows), count(" submitted"))
            print(run("health")[0], run("why", "--history", "web/task-1")[0])
            print([open(f"host-{number}").read().count("another host of the store answers") for number in range(5)].count(0))
            write("all.json", "", "task-0", "other")
            print(run("reload", "--config", "all.json")[0])
            print([row["name"] for row in json.loads(run("schedules", "--json")[1])["schedules"]], count(" submitted"))
            print(run("drain")[0], sum(host["state"] == "drained" for host in json.loads(run("hosts", "--json")[1])["hosts"]))
            """, on: .shared, lease: 10)
        #expect(
            output == """
                0 21 1 21
                0 0
                1
                0
                ['other', 'task-0', 'web/task-1'] 22
                0 1
                ended 0 0 0 0 0

                """)
    }

    @Test("A server that is started again: nobody is taken for dead, and nothing is lost")
    func restarted() throws {
        let server = try PostgresServer(syncs: true)
        let output = try run(
            """
            a, b = start(), start()
            requests = []
            for round in range(4):
                for _ in range(5): requests.append(submit("sleep 0.2"))
                subprocess.run([*control, "restart"], check=True, stdout=subprocess.DEVNULL, cwd="/")
            until(lambda: count(" finished") == 20)
            # A launch that was not confirmed when the server ended is made again, each time at most.
            print(20 <= check(requests) <= 100, count("host-lost"), count("host-started"))

            # The commands that wait go on after the server was away.
            last = submit("until test -e go; do sleep 0.05; done")
            def wait(*words):
                name = "waits-" + words[0]
                with open(name, "w") as output:
                    return name, subprocess.Popen([program, words[0], "--store", store, *words[1:]], stdout=output, stderr=output)
            waiting = [wait("wait", str(last)), wait("submit", "--wait", "--", "/bin/sh", "-c", "until test -e go; do sleep 0.05; done"),
                wait("log", "--follow"), wait("ps", "--watch")]
            until(lambda: count(" launched") >= 22)
            subprocess.run([*control, "stop"], check=True, stdout=subprocess.DEVNULL, cwd="/")
            try: until(lambda: all("waiting until it does" in open(name).read() for name, _ in waiting))
            finally: subprocess.run([*control, "restart"], check=True, capture_output=True, cwd="/")
            until(lambda: run("ps")[0] == 0)
            open("go", "w").close()
            print([process.wait(40) for _, process in waiting[:2]])
            until(lambda: "finished: succeeded" in open("waits-log").read().split(f"request {last} ")[-1])
            for _, process in waiting[2:]: process.send_signal(signal.SIGTERM)
            print([process.wait(40) for _, process in waiting[2:]])
            """, on: server, lease: 10)
        #expect(output == "True 0 2\n[0, 0]\n[0, 0]\nended 0 0\n")
    }

    @Test("A server that hangs for longer than a lease, and one that takes no writes: all goes on")
    func hanging() throws {
        let output = try run(
            """
            a, b = start(), start()
            requests = [submit("exec sleep 2")]
            until(lambda: count(" launched") == 1)
            with open(f"{data}/postmaster.pid") as file: server = file.readline().strip()
            def signal_all(number):
                with open(f"/proc/{server}/task/{server}/children") as file: children = file.read().split()
                for process in [server, *children]:
                    try: os.kill(int(process), number)
                    except ProcessLookupError: pass
            signal_all(signal.SIGSTOP)
            try:
                silent = "other hosts will soon take this one for dead"
                until(lambda: all(silent in open(f"host-{number}").read() for number in range(2)))
                code, text = run("submit", "--", "/bin/true")
                print(code, "does not answer" in text)
            finally:
                signal_all(signal.SIGCONT)
            until(lambda: run("ps")[0] == 0)
            requests.append(submit("true"))
            until(lambda: count(" finished") == 2)
            # The one that ran was told to stop, or has ended by itself.
            print(2 <= check(requests) <= 3, count("host-lost"), count("host-started"))

            sql("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
            until(lambda: sql("SHOW default_transaction_read_only") == "on")
            code, text = run("submit", "--", "/bin/true")
            print(code, "takes no writes" in text, "name the primary" in text)
            sql("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
            until(lambda: sql("SHOW default_transaction_read_only") == "off")
            requests.append(submit("true"))
            until(lambda: count(" finished") == 3)
            print(check(requests) <= 4, count("host-lost"))
            """, on: PostgresServer())
        #expect(
            output == """
                6 True
                True 0 2
                6 True True
                True 0
                ended 0 0

                """)
    }

    @Test(
        "A standby that takes the place of its primary: the hosts go on there, and nothing is lost")
    func promoted() throws {
        let primary = try PostgresServer(syncs: true)
        let standby = try PostgresServer(syncs: true, standbyOf: primary)
        let output = try run(
            """
            sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
            until(lambda: sql("SELECT sync_state FROM pg_stat_replication") == "sync")
            a, b = start(), start()
            requests = [submit("sleep 0.2") for _ in range(10)]
            until(lambda: count(" launched") > 0)
            subprocess.run([*control, "stop"], check=True, stdout=subprocess.DEVNULL, cwd="/")
            code, text = run("submit", "--", "/bin/true")
            print(code)
            subprocess.run([*promote, "promote"], check=True, stdout=subprocess.DEVNULL, cwd="/")
            until(lambda: run("ps")[0] == 0)
            requests += [submit("true") for _ in range(10)]
            until(lambda: count(" finished") == 20)
            print(20 <= check(requests) <= 40, count("host-lost"), count("host-started"))
            """, on: primary, standby: standby, lease: 10)
        #expect(output == "6\nTrue 0 2\nended 0 0\n")
    }
}
