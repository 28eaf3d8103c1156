// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The control socket of `curfew serve`, by foreign clients: curl, and http.client of Python.
@Suite("The control socket")
struct ControlTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python beside a host. `call` returns the status and the answer, which it holds against
    /// the document of the API; `raw` sends bytes, and returns all that is answered until the end.
    private func serve(_ script: String, limit: Duration = .seconds(60)) throws -> String {
        let head = """
            import http.client, json, os, random, re, signal, socket, subprocess, sys, threading, time
            import jsonschema
            program, store, document = sys.argv[1:4]
            place = store + "/control.sock"
            api = json.load(open(document))

            def start(*more):
                # A busy machine would be told of in the journal.
                calm = ["--threshold=%s-pressure-%s=100%%" % (part, span)
                        for part in ("processor", "memory", "disk") for span in ("10s", "60s")]
                host = subprocess.Popen(
                    [program, "serve", "--store", store, "--json", *calm, *more], stdout=subprocess.PIPE,
                    start_new_session=True)
                for line in host.stdout:
                    if json.loads(line)["event"] == "serving":
                        break
                threading.Thread(target=host.stdout.read, daemon=True).start()
                return host

            class Connection(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self.sock.settimeout(self.timeout)
                    self.sock.connect(place)

            def schema(method, path, status):
                for known, methods in api["paths"].items():
                    if re.fullmatch(known.replace("{id}", r"\\d+").replace("{name}", "[^/]+"), path):
                        answers = methods[method.lower()]["responses"] if method.lower() in methods else {}
                        found = answers.get(str(status), None if 200 <= status < 300 else answers.get("default"))
                        if found:
                            return found["content"].get("application/json", {}).get("schema")
                if 200 <= status < 300:
                    sys.exit("%s %s: %d is not in the document" % (method, path, status))
                return {"$ref": "#/components/schemas/Error"}

            def check(method, target, status, answer):
                wanted = schema(method, target.split("?")[0], status)
                if wanted is not None:
                    jsonschema.Draft202012Validator({**wanted, "components": api["components"]}).validate(answer)

            def ask(connection, method, target, body=None):
                headers = {}
                if body is not None:
                    headers["Content-Type"] = "application/json"
                    body = body if isinstance(body, bytes) else json.dumps(body).encode()
                connection.request(method, target, body, headers)
                answer = connection.getresponse()
                data = answer.read()
                if answer.getheader("Content-Type") == "application/json":
                    data = json.loads(data)
                    check(method, target, answer.status, data)
                return answer.status, data

            def call(method, target, body=None):
                connection = Connection("localhost", timeout=30)
                try:
                    return ask(connection, method, target, body)
                finally:
                    connection.close()

            def raw(data, ends=True):
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                    client.settimeout(30)
                    client.connect(place)
                    answer = b""
                    try:
                        client.sendall(data)
                        if ends:
                            client.shutdown(socket.SHUT_WR)
                        while True:
                            part = client.recv(65536)
                            if not part:
                                break
                            answer += part
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    return answer

            def descriptors(host):
                return len(os.listdir("/proc/%d/fd" % host.pid))

            host = start()
            try:

            """
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        let tail = """

                host.send_signal(signal.SIGTERM)
                print("ended", host.wait(30), os.path.exists(place))
            finally:
                if host.poll() is None:
                    os.killpg(host.pid, signal.SIGKILL)
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", head + body + tail, CommandRun.program, files.path("store"),
                BuiltProducts.packageRoot + "/Documentation/openapi.json",
            ],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 }, limit: limit)
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test(
        "statistics, misses, ends, factors, metrics, changes of many: as the document says, and with the right numbers"
    )
    func glance() throws {
        let output = try serve(
            """
            print(call("GET", "/v1/me")[1]["rights"], call("GET", "/v1/host")[1]["newest"] > 0)
            def submit(**more): return call("POST", "/v1/requests", more)[1]["id"]
            def ended(**more):
                number = submit(**more)
                assert call("GET", "/v1/requests/%d/wait" % number)[0] == 200
                return number
            good = [ended(command=["/bin/true"], key="good-%d" % n) for n in range(3)]
            bad = ended(command=["/bin/false"])
            later = [submit(identifier="org.example.a", after="1h", key="later-%d" % n) for n in range(5)]
            answer = call("GET", "/v1/statistics?step=minute")[1]
            points = answer["series"][0]["points"]
            print(sum(p["submitted"] for p in points), sum(p["launched"] for p in points), sum(p["promised"] for p in points),
                  sum(p["missed"] for p in points), sum(p["ends"]["succeeded"] for p in points), sum(p["ends"]["failed"] for p in points))
            print(sum(sum(p["duration"]["counts"]) for p in points), [len(points[0][name]["counts"]) - len(answer[name + "Bounds"])
                                                                      for name in ("delay", "duration", "budget")])
            hours = call("GET", "/v1/statistics?by=identifier")[1]["series"]
            print([(s["identifier"], sum(p["submitted"] for p in s["points"])) for s in hours])
            print(call("GET", "/v1/statistics?step=week")[0], call("GET", "/v1/statistics?step=minute&from=2020-01-01")[0],
                  call("GET", "/v1/statistics?from=2020-01-02&to=2020-01-01")[0])
            ends = call("GET", "/v1/ends?limit=3")[1]["ends"]
            print([e["request"] for e in ends], [e["outcome"] for e in ends], all(0 < e["duration"] < 30 for e in ends))
            print([e["request"] for e in call("GET", "/v1/ends?identifier=org.curfew.command")[1]["ends"]],
                  call("GET", "/v1/ends?identifier=org.example.a")[1]["ends"])
            print(call("GET", "/v1/counts")[1]["counts"], sum(sum(d["refreshed"]) for d in call("GET", "/v1/usage")[1]["days"]))
            print(call("GET", "/v1/misses")[1], all(f["intervals"] for f in call("GET", "/v1/factors/history")[1]["factors"]))
            def listed(query): return [r["id"] for r in call("GET", "/v1/requests?" + query)[1]["requests"]]
            print(listed("text=good-"), listed("text=later-3"), listed("text=nothing"), listed("text=example.a&limit=2"))
            first = call("GET", "/v1/requests?view=live&limit=2")[1]
            second = call("GET", "/v1/requests?view=live&limit=2&after=" + first["next"])[1]
            third = call("GET", "/v1/requests?view=live&limit=2&after=" + second["next"])[1]
            print([r["id"] for page in (first, second, third) for r in page["requests"]] == later,
                  [page["more"] for page in (first, second, third)], third["next"])
            print(call("GET", "/v1/requests?schedule=none")[1]["requests"], call("GET", "/v1/requests?host=9")[1]["requests"])
            def many(what, **body): return call("POST", "/v1/requests:" + what, body)
            print(many("cancel", ids=later[:2] + [bad, 999]))
            print(many("launch", filter={"text": "later-2"}), many("cancel", filter={"identifier": "org.example.a"}))
            print(many("retry", filter={"state": "cancelled", "text": "later-0"}), many("release", filter={"view": "live"}))
            print([many("cancel", **body)[0] for body in ({"filter": {}}, {"ids": []}, {"ids": ["1"]}, {"filter": {"stat": "x"}},
                                                          {"ids": [1], "filter": {}}, {"filter": {"state": "odd"}}, {"ids": [1] * 1001},
                                                          {"filter": {"text": ""}}, {"filter": {"view": "all"}})])
            print(call("POST", "/v1/requests:cancel", b"{")[0], call("POST", "/v1/plugins/org.example.none/release")[0])
            paused = call("POST", "/v1/handlers/org.curfew.command/pause")[1]["paused"]
            waits = submit(command=["/bin/true"])
            # The host's report of its handlers may be a moment old.
            end = time.monotonic() + 20
            while not (held := call("GET", "/v1/requests/%d/why" % waits)[1]["held"]) and time.monotonic() < end: pass
            print(paused, held, call("POST", "/v1/handlers/org.curfew.command/resume")[1]["paused"],
                  call("GET", "/v1/requests/%d/wait" % waits)[1]["outcome"], call("POST", "/v1/handlers/org.example.x/pause")[0])
            text = call("GET", "/metrics")[1].decode()
            def metric(name): return [float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name)]
            print(metric('curfew_launches_total{task="org.curfew.command",outcome="succeeded"}'),
                  metric('curfew_requests_submitted_total{task="org.example.a"}'),
                  metric('curfew_requests{task="org.example.a",state="pending"}'),
                  metric('curfew_run_duration_seconds_count{task="org.curfew.command"}'), metric("curfew_lease_lost_total"))
            lint = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
            print(lint.returncode, lint.stdout, lint.stderr)
            print(call("GET", "/")[1][:15], call("GET", "/page/page.css")[0], call("GET", "/page/none")[0], call("GET", "/page/..%2Fx")[0])
            """)
        let wanted = """
            ['read', 'submit', 'operate', 'admin'] True
            9 4 4 0 3 1
            4 [1, 1, 1]
            [('org.curfew.command', 4), ('org.example.a', 5)]
            400 200 400
            [4, 3, 2] ['failed', 'succeeded', 'succeeded'] True
            [4, 3, 2, 1] []
            [{'identifier': 'org.example.a', 'state': 'pending', 'count': 5}] 0
            {'misses': [], 'more': False} True
            [3, 2, 1] [8] [] [5, 6]
            True [3, 1, 0] None
            [] []
            (200, {'done': 2, 'refused': [{'id': 4, 'code': 'state', 'message': 'request 4 is over'}, {'id': 999, 'code': 'notFound', 'message': 'there is no request 999'}], 'more': False})
            (200, {'done': 1, 'refused': [], 'more': False}) (200, {'done': 3, 'refused': [], 'more': False})
            (200, {'done': 1, 'refused': [], 'more': False}) (200, {'done': 0, 'refused': [], 'more': False})
            [422, 422, 422, 422, 422, 422, 422, 422, 422]
            400 404
            True True False succeeded 404
            [4.0] [5.0] [1.0] [5.0] [0.0]
            0  \u{20}
            b'<!DOCTYPE html>' 200 404 404
            ended 0 False

            """.replacingOccurrences(of: "0  \u{20}\n", with: "0  \n")
        #expect(output == wanted, "\(output)")
    }

    @Test("every call answers as its document says")
    func calls() throws {
        let output = try serve(
            """
            print("org.curfew.command" in call("GET", "/v1/host")[1]["handlers"])
            print(call("POST", "/v1/requests", {
                "identifier": "org.example.tidy", "kind": "processing", "after": "1h", "needs": ["network"],
                "payload": "é\\n", "attempts": 3, "backOff": "1min", "onPending": "add", "key": "one",
                "priority": "high", "latest": "2190-01-01T00:00Z"}))
            print(call("POST", "/v1/requests", {
                "identifier": "org.example.tidy", "kind": "processing", "after": "1h", "needs": "network",
                "payload": "é\\n", "attempts": "3", "backOff": "1min", "onPending": "add", "key": "one",
                "priority": "high", "latest": "2190-01-01T00:00Z"}))
            print(call("GET", "/v1/requests/1/payload"))
            status, shown = call("GET", "/v1/requests/1")
            print(shown["kind"], shown["retry"], shown["needs"], shown["key"], shown["state"])
            status, why = call("GET", "/v1/requests/1/why")
            print(why["held"], [each["factor"] for each in why["factors"] if each["holds"]])
            print(call("GET", "/v1/requests/1/history")[1]["turns"])
            print(call("POST", "/v1/requests", {"identifier": "org.example.tidy", "cron": "0 3 * * *", "utc": True}))
            print(call("POST", "/v1/requests", {
                "command": ["/bin/sh", "-c", "read a; echo $a $B; pwd; exit 3"], "directory": "/usr",
                "input": "text", "environment": {"B": "two"}, "budget": "5s", "grace": "1s"}))
            status, ended = call("GET", "/v1/requests/3/wait")
            print(status, ended["state"], ended["outcome"])
            print(call("GET", "/v1/requests/3")[1]["attemptList"][0]["log"][:2])
            print(call("GET", "/v1/requests/1/wait?timeout=10ms")[0])
            print(call("POST", "/v1/requests/1/launch")[1]["state"])
            print(call("POST", "/v1/requests/1/cancel")[1]["state"])
            print(call("POST", "/v1/requests/1/retry")[1]["state"])
            print([each["id"] for each in call("GET", "/v1/requests?state=pending")[1]["requests"]])
            status, some = call("GET", "/v1/requests?limit=1&identifier=org.example.tidy")
            print(len(some["requests"]), some["more"])
            print(call("POST", "/v1/requests:batch", {"items": [
                {"identifier": "org.example.a", "after": "1h"}, {"identifier": "a", "after": "1h"},
                {"identifier": "org.example.a", "after": "1h", "key": "k"},
                {"identifier": "org.example.a", "after": "1h", "payload": "x", "key": "k"},
                {"identifier": "org.example.b", "after": "2h", "key": "k"}]})[1]["items"])
            print(call("GET", "/v1/schedules"))
            print([host["state"] for host in call("GET", "/v1/hosts")[1]["hosts"]])
            status, journal = call("GET", "/v1/journal?limit=2&after=1")
            print([each["sequence"] for each in journal["entries"]])
            print(len(call("GET", "/v1/journal?request=3")[1]["entries"]))
            """)
        let lines = output.split(separator: "\n").map(String.init)
        let wanted = [
            "True", "(201, {'id': 1, 'status': 'queued', 'replaced': []})",
            "(200, {'id': 1, 'status': 'duplicate-key', 'replaced': []})",
            "(200, b'\\xc3\\xa9\\n')",
            "processing {'attempts': 3, 'backOff': 60.0, 'longest': 21600.0} ['network'] one pending",
            "True ['handler', 'date']", "[]",
            "(201, {'id': 2, 'status': 'queued', 'replaced': []})",
            "(201, {'id': 3, 'status': 'queued', 'replaced': []})", "200 finished failed",
            "['text two', '/usr']", "202", "pending", "cancelled", "pending", "[1, 2]", "1 1",
        ]
        for (line, want) in zip(lines, wanted) { #expect(line == want) }
        #expect(
            lines.dropFirst(wanted.count).first?.contains("'code': 'keyTaken'") == true, "\(output)"
        )
        #expect(lines.last == "ended 0 False", "\(output)")
    }

    @Test("Texts of any kind arrive, and what is wrong about one is told without it as it is")
    func texts() throws {
        let output = try serve(
            """
            print(call("POST", "/v1/requests", {"command": ["/usr/bin/od", "-An", "-c"], "input": "a\\0b"})[0])
            print(call("GET", "/v1/requests/1/wait")[1]["outcome"])
            print(call("GET", "/v1/requests/1")[1]["attemptList"][0]["log"][0].split())
            def refused(**members):
                members.setdefault("identifier", "org.example.a")
                status, answer = call("POST", "/v1/requests", members)
                return status, answer["error"]["message"]
            print(refused(needs=["network", 1]))
            status, message = refused(after="\\x1b[31m\\u202e\\n" + 100000 * "x")
            print(status, len(message) < 2100, [each for each in message if not each.isprintable()])
            def program(**members): return call("POST", "/v1/requests", {"command": ["/bin/true"], **members})[1]["error"]["message"]
            print(program(directory="/a\\0b"))
            print(program(environment={"A": "\\0"}))
            """)
        #expect(
            output == """
                201
                succeeded
                ['a', '\\\\0', 'b']
                (422, 'item 2 of `needs` has to be text, not a number')
                422 True []
                `directory` has to be an absolute path without NUL
                `A` of `environment` is no variable: its name has no `=`, its value is text, and neither has a NUL
                ended 0 False

                """, "\(output)")
    }

    @Test("what a host has in memory is told, and it can be drained")
    func host() throws {
        let output = try serve(
            """
            status, health = call("GET", "/v1/health")
            print(status, health["status"], [each["part"] for each in health["findings"] if each["state"] == "fail"])
            print(call("GET", "/v1/tasks")[1], sorted(each["status"] for each in call("GET", "/v1/plugins")[1]["plugins"]))
            print("org.curfew.test.patient" in [each["identifier"] for each in call("GET", "/v1/handlers")[1]["handlers"]])
            print({each["name"] for each in call("GET", "/v1/factors")[1]["factors"]} >= {"pressure"})
            status, one = call("POST", "/v1/requests", {"command": ["/bin/sh", "-c", "read a"], "input": "", "budget": "1min"})
            print(call("POST", "/v1/requests", {"command": ["/bin/sleep", "60"], "budget": "1min"})[0])
            while len(call("GET", "/v1/tasks")[1]["tasks"]) != 1: pass
            task, = call("GET", "/v1/tasks")[1]["tasks"]
            print(task["request"], task["identifier"], task["phase"], task["budget"], task["started"] < task["deadline"])
            status, drained = call("POST", "/v1/drain")
            print(status, [each["request"] for each in drained["tasks"]], drained["since"] is None)
            print([each["text"][:5] for each in call("GET", "/v1/health")[1]["findings"] if each["part"] == "launches"])
            print(call("POST", "/v1/requests", {"command": ["/bin/true"]})[0], call("GET", "/v1/requests/3/why")[1]["held"])
            waiting = []
            def drain(): waiting.append(call("POST", "/v1/drain?timeout=1min"))
            thread = threading.Thread(target=drain)
            thread.start()
            call("POST", "/v1/requests/2/cancel")
            thread.join()
            print(waiting[0][0], waiting[0][1]["tasks"])
            print(call("DELETE", "/v1/drain")[1]["since"])
            print(call("GET", "/v1/requests/3/wait")[1]["outcome"])
            print(call("POST", "/v1/reload")[1]["error"]["code"])
            print(call("POST", "/v1/drain?timeout=2h")[0], call("DELETE", "/v1/health")[0])
            """)
        #expect(
            output.split(separator: "\n") == [
                "503 degraded ['plugins']", "{'tasks': []} ['failed', 'ready', 'ready']", "True",
                "True", "201", "2 org.curfew.command running 60.0 True", "202 [2] False",
                "['none ']", "201 True", "200 []", "None", "succeeded", "state", "400 405",
                "ended 0 False",
            ], "\(output)")
    }

    @Test("what is wrong with a call is said, and nothing is stored")
    func refusals() throws {
        let output = try serve(
            """
            def refused(method, target, body=None):
                status, answer = call(method, target, body)
                print(status, answer["error"]["code"], answer["error"]["message"], *answer["error"]["help"][:1])
            refused("GET", "/v1")
            refused("GET", "/v1/requests/0")
            refused("GET", "/v1/requests/99")
            refused("GET", "/v1/requests/99/why")
            refused("GET", "/v1/requests/99/payload")
            refused("GET", "/v1/requests/99/wait")
            refused("POST", "/v1/requests/99/cancel")
            refused("DELETE", "/v1/requests/1")
            refused("GET", "/v1/requests?limit=0")
            refused("GET", "/v1/requests?limit=1&limit=2")
            refused("GET", "/v1/requests?colour=red")
            refused("GET", "/v1/requests?state=new")
            refused("GET", "/v1/journal?request=x")
            refused("GET", "/v1/requests/1/wait?timeout=2h")
            refused("POST", "/v1/requests/1/cancel", {})
            refused("POST", "/v1/requests", b"{")
            refused("POST", "/v1/requests", b"")
            refused("POST", "/v1/requests", [])
            refused("POST", "/v1/requests", {})
            refused("POST", "/v1/requests", {"identifier": "x"})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "afer": "1h"})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "after": 5})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "after": "5"})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "utc": "yes"})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "attempts": 0})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "command": ["/bin/true"]})
            refused("POST", "/v1/requests", {"command": ["true"]})
            refused("POST", "/v1/requests", {"command": []})
            refused("POST", "/v1/requests", {"command": ["/bin/true", 5]})
            refused("POST", "/v1/requests", {"command": ["/bin/true"], "budget": "1y"})
            refused("POST", "/v1/requests", {"identifier": "org.example.x", "directory": "/"})
            refused("POST", "/v1/requests:batch", {"items": []})
            refused("POST", "/v1/requests:batch", [])
            refused("POST", "/v1/requests:batch", {"items": [{"identifier": "org.example.x"}] * 257})
            print(call("GET", "/v1/requests")[1]["requests"])
            """)
        let lines = output.split(separator: "\n").map(String.init)
        let statuses = lines.dropLast(2).map { $0.prefix(3) }
        #expect(
            statuses == [
                "404", "404", "404", "404", "404", "404", "404", "405", "400", "400", "400", "400",
                "400", "400", "400", "400", "400", "422", "422", "422", "422", "422", "422", "422",
                "422", "422", "422", "422", "422", "422", "422", "422", "422", "422",
            ], "\(output)")
        #expect(lines.suffix(2) == ["[]", "ended 0 False"], "\(output)")
        #expect(output.contains("did you mean `after`?"), "\(output)")
        #expect(output.contains("`after` has to be text, not a number"), "\(output)")
    }

    @Test("requests that could mean two things are refused, and the connection ends")
    func ambiguous() throws {
        let output = try serve(
            """
            def say(*lines, body=b""):
                return "\\r\\n".join(lines).encode("latin-1") + b"\\r\\n\\r\\n" + body
            json_type = "Content-Type: application/json"
            cases = [
                ("two lengths", say("POST /v1/requests HTTP/1.1", "Host: a", "Content-Length: 2", "Content-Length: 3", json_type, body=b"{}")),
                ("length and coding", say("POST /v1/requests HTTP/1.1", "Host: a", "Content-Length: 2", "Transfer-Encoding: chunked", json_type, body=b"0\\r\\n\\r\\n")),
                ("another coding", say("POST /v1/requests HTTP/1.1", "Host: a", "Transfer-Encoding: gzip, chunked", json_type, body=b"0\\r\\n\\r\\n")),
                ("two hosts", say("GET /v1/host HTTP/1.1", "Host: a", "Host: b")),
                ("no host", say("GET /v1/host HTTP/1.1")),
                ("an old version", say("GET /v1/host HTTP/1.0", "Host: a")),
                ("no version", say("GET /v1/host")),
                ("a body of GET", say("GET /v1/host HTTP/1.1", "Host: a", "Content-Length: 2", json_type, body=b"{}")),
                ("another type", say("POST /v1/requests HTTP/1.1", "Host: a", "Content-Length: 2", body=b"{}")),
                ("a form", say("POST /v1/requests HTTP/1.1", "Host: a", "Content-Length: 2", "Content-Type: text/plain; application/json", body=b"{}")),
                ("a signed length", say("POST /v1/requests HTTP/1.1", "Host: a", "Content-Length: +2", json_type, body=b"{}")),
                ("NUL, escaped", say("GET /v1/host%00 HTTP/1.1", "Host: a")),
                ("half an escape", say("GET /v1/host%4 HTTP/1.1", "Host: a")),
                ("no UTF-8", say("GET /v1/%ff HTTP/1.1", "Host: a")),
                ("a whole URL", say("GET http://a/v1/host HTTP/1.1", "Host: a")),
                ("escaped twice", say("GET /v1/h%256fst HTTP/1.1", "Host: a")),
                ("a long head", say("GET /v1/host HTTP/1.1", "Host: a", "X: " + "y" * 40000)),
                ("a long target", say("GET /" + "y" * 40000 + " HTTP/1.1", "Host: a")),
                ("a blank in the target", say("GET /v1/host /x HTTP/1.1", "Host: a")),
                ("a control character", say("GET /v1/host HTTP/1.1", "Host: a", "X: \\x01")),
                ("an escape", say("GET /v1/h%6Fst HTTP/1.1", "Host: a")),
                ("chunks", say("POST /v1/requests HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", json_type, body=b"2\\r\\n{}\\r\\n0\\r\\n\\r\\n")),
                ("two at a time", say("GET /v1/host HTTP/1.1", "Host: a") * 2),
            ]
            for name, data in cases:
                answer = raw(data)
                print(name + ":", *re.findall(rb"HTTP/1.[01] (\\d+)", answer), sep=" ")
            print(len(call("GET", "/v1/requests")[1]["requests"]))
            """)
        let lines = output.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "two lengths: b'400'", "length and coding: b'400'", "another coding: b'501'",
                "two hosts: b'400'", "no host: b'400'", "an old version: b'505'",
                "no version: b'400'",
                "a body of GET: b'400'", "another type: b'415'", "a form: b'415'",
                "a signed length: b'400' b'400'", "NUL, escaped: b'400'",
                "half an escape: b'400'", "no UTF-8: b'400'", "a whole URL: b'400'",
                "escaped twice: b'404'", "a long head: b'431'", "a long target: b'414'",
                "a blank in the target: b'400'", "a control character: b'400'", "an escape: b'200'",
                "chunks: b'422'",
                "two at a time: b'200' b'200'", "0", "ended 0 False",
            ], "\(output)")
    }

    @Test("however large a head is, what is stored is answered")
    func heads() throws {
        let output = try serve(
            """
            body = b'{"identifier":"org.example.tidy","after":"1h"}'
            def post(lines):
                head = ["POST /v1/requests HTTP/1.1", "Host: a", "Content-Type: application/json ",
                        "Content-Length: %d" % len(body)] + lines
                return "\\r\\n".join(head).encode() + b"\\r\\n\\r\\n" + body
            kinds = {
                "line": lambda n: ["X: " + "y" * n],
                "lines": lambda n: ["A: b"] * (n // 70),
                "cookie": lambda n: ["Cookie: a=" + "b" * (n // 2)],
                "cookies": lambda n: ["Cookie: " + "; ".join("a%d=b" % i for i in range(n // 80))],
            }
            stored = 0
            for kind, lines in kinds.items():
                statuses = []
                for size in range(200, 18000, 200):
                    found = re.findall(rb"HTTP/1.1 (\\d+)", raw(post(lines(size))))
                    statuses.append(found[0].decode() if found else "none")
                stored += statuses.count("201")
                # Beyond the memory of a connection libmicrohttpd closes it, at some sizes without a word.
                print(kind, statuses.count("201") > 50, sorted(set(statuses) - {"none"}), statuses.count("none") < 8)
            print(stored == len(call("GET", "/v1/requests?limit=1000")[1]["requests"]))
            """)
        #expect(
            output == """
                line True ['201', '431'] True
                lines True ['201', '431'] True
                cookie True ['201', '431'] True
                cookies True ['201', '431'] True
                True
                ended 0 False

                """, "\(output)")
    }

    @Test("garbage and clients that leave cost nothing")
    func garbage() throws {
        let output = try serve(
            """
            call("GET", "/v1/requests")
            call("POST", "/v1/requests", {"identifier": "org.example.a", "after": "1h"})
            def resident():
                with open("/proc/%d/status" % host.pid) as file:
                    return int(re.search(r"VmRSS:[^0-9]+([0-9]+)", file.read()).group(1))
            before = descriptors(host)
            size = resident()
            random.seed(7)
            seeds = [
                b"GET /v1/requests?limit=3 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
                b"POST /v1/requests HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nContent-Length: 45\\r\\n\\r\\n"
                b'{"identifier": "org.example.a", "after": "1h"',
                b"POST /v1/requests HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
                b'1\\r\\n{\\r\\n1\\r\\n}\\r\\n0\\r\\n\\r\\n',
            ]
            for number in range(\(Self.malformed)):
                data = bytearray(random.choice(seeds))
                for _ in range(random.randint(1, 6)):
                    place_of = random.randrange(len(data))
                    kind = random.randrange(4)
                    if kind == 0: data[place_of] = random.randrange(256)
                    elif kind == 1: del data[place_of:place_of + random.randint(1, 9)]
                    elif kind == 2: data[place_of:place_of] = random.choice([b"\\r\\n", b"\\n", b"\\0", b": ", b"%", b"\\xff"])
                    else: data[place_of:place_of] = data[:random.randrange(len(data))]
                    if not data: data = bytearray(b"x")
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(place)
                    client.sendall(data)
            for _ in range(50):
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(place)
                    client.sendall(b"GET /v1/requests/1/wait?timeout=50ms HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            print(call("GET", "/v1/host")[0])
            for _ in range(200):
                if descriptors(host) <= before: break
                time.sleep(0.05)
            print(descriptors(host) <= before, resident() - size < 20_000)
            """, limit: .seconds(120))
        #expect(output == "200\nTrue True\nended 0 False\n", "\(output)")
    }

    /// The number of requests that are no HTTP, or hardly.
    private static let malformed =
        ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == nil ? 2_000 : 10_000

    @Test(
        "a host that ends answers those that wait, and takes the socket away; a new one replaces a dead one's"
    )
    func ending() throws {
        let output = try serve(
            """
            call("POST", "/v1/requests", {"identifier": "org.example.a", "after": "1h"})
            idle = Connection("localhost", timeout=30)
            print(ask(idle, "GET", "/v1/host")[0])
            before = descriptors(host)
            answers = []
            def wait():
                answers.append(call("GET", "/v1/requests/1/wait?timeout=1h")[0])
            waiting = [threading.Thread(target=wait) for _ in range(8)]
            for each in waiting: each.start()
            while descriptors(host) < before + 5: pass
            print(ask(idle, "GET", "/v1/host")[0])
            host.send_signal(signal.SIGTERM)
            for each in waiting: each.join()
            print(sorted(set(answers)), host.wait(30), os.path.exists(place))
            host = start()
            os.killpg(host.pid, signal.SIGKILL)
            host.wait()
            print(os.path.exists(place))
            host = start()
            print(call("GET", "/v1/host")[1]["process"] == host.pid)
            """)
        #expect(
            output == "200\n200\n[503] 0 False\nTrue\nTrue\nended 0 False\n", "\(output)")
    }

    @Test("a host that ends while clients call again and again ends in order")
    func busyEnd() throws {
        let output = try serve(
            """
            for number in range(6):
                asked = []
                def ask_on():
                    connection = Connection("localhost", timeout=30)
                    try:
                        while True:
                            status, answer = ask(connection, "GET", "/v1/host")
                            asked.append(status)
                            if status == 503: return
                    except (OSError, http.client.HTTPException): pass
                clients = [threading.Thread(target=ask_on) for _ in range(1 + number)]
                for each in clients: each.start()
                while len(asked) < 50: pass
                host.send_signal(signal.SIGTERM)
                code = host.wait(30)
                for each in clients: each.join()
                print(code, set(asked) <= {200, 503})
                host = start()
            """)
        #expect(
            output == String(repeating: "0 True\n", count: 6) + "ended 0 False\n", "\(output)")
    }

    @Test("clients that leave while they wait or follow give their places back")
    func left() throws {
        let output = try serve(
            Self.events + """
                call("GET", "/v1/requests")
                number = submit()
                before = descriptors(host)
                def gone(sockets):
                    print(descriptors(host) > before + len(sockets) // 2, end=" ")
                    for each in sockets: each.close()
                    end = time.monotonic() + 20
                    while descriptors(host) > before and time.monotonic() < end: time.sleep(0.01)
                    print(descriptors(host) <= before)
                waiting = []
                for _ in range(40):
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(place)
                    client.sendall(b"GET /v1/requests/1/wait?timeout=1h HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
                    waiting.append(client)
                call("GET", "/v1/host")
                gone(waiting)
                following = [follow() for _ in range(40)]
                for each in following: event(each)
                gone(following)
                """)
        #expect(output == "True True\nTrue True\nended 0 False\n", "\(output)")
    }

    @Test("the end of a task is told at once, and a body that is too large is answered")
    func promptly() throws {
        let output = try serve(
            """
            times = []
            for _ in range(5):
                number = call("POST", "/v1/requests", {"command": ["/bin/sleep", "0.05"]})[1]["id"]
                begun = time.monotonic()
                assert call("GET", "/v1/requests/%d/wait" % number)[1]["outcome"] == "succeeded"
                times.append(time.monotonic() - begun)
            print(sorted(times)[2] < 0.6 or times)
            print(call("POST", "/v1/requests", {"identifier": "org.example.a", "payload": "x" * 300000})[0])
            print(call("POST", "/v1/requests", {"identifier": "x" * 200000})[1])
            connection = Connection("localhost", timeout=30)
            connection.request("DELETE", "/v1/requests")
            print(connection.getresponse().getheader("Allow"))
            print(call("GET", "/v1/host")[1]["store"] == os.path.realpath(store))
            """)
        #expect(
            output.hasPrefix("True\n413\n{'error': {'code': 'refused'") && output.utf8.count < 500
                && output.hasSuffix("GET, POST\nTrue\nended 0 False\n"), "\(output)")
    }

    @Test("sixty-four clients that submit at the same time share commits, and lose nothing")
    func together() throws {
        let output = try serve(
            """
            numbers = []
            def submit(name):
                connection = Connection("localhost", timeout=30)
                for index in range(20):
                    status, answer = ask(connection, "POST", "/v1/requests", {
                        "identifier": "org.example.a", "after": "1h", "payload": "%d %d" % (name, index)})
                    assert status == 201, answer
                    numbers.append((answer["id"], "%d %d" % (name, index)))
            clients = [threading.Thread(target=submit, args=(name,)) for name in range(64)]
            for each in clients: each.start()
            for each in clients: each.join()
            print(len(set(number for number, _ in numbers)))
            print(all(call("GET", "/v1/requests/%d/payload" % number)[1].decode() == text for number, text in numbers[::40]))
            """)
        #expect(output == "1280\nTrue\nended 0 False\n", "\(output)")
    }

    /// Reads events: `follow` opens a stream, `event` returns its next one, nil at the end.
    private static let events = """
        def follow(target="/v1/journal", last=None):
            connection = Connection("localhost", timeout=30)
            headers = {"Accept": "text/event-stream"}
            if last is not None: headers["Last-Event-ID"] = str(last)
            connection.request("GET", target, headers=headers)
            return connection.getresponse()
        def event(answer):
            fields = {}
            while True:
                line = answer.readline().decode()
                if line == "": return None
                line = line.rstrip("\\n")
                if line.startswith(":"): continue
                if line == "" and fields: return fields
                if line:
                    name, value = line.split(": ", 1)
                    fields[name] = value
        def submit(name="a"):
            return call("POST", "/v1/requests", {"identifier": "org.example." + name, "after": "1h"})[1]["id"]

        """

    @Test("the journal is followed, from where a client was, and ends with a word")
    func follow() throws {
        let output = try serve(
            Self.events + """
                all = follow()
                print(all.status, all.getheader("Content-Type"), event(all)["event"])
                submit()
                submit("b")
                got = [event(all), event(all)]
                print([(each["id"], each["event"], json.loads(each["data"])["request"]) for each in got])
                entry = {"$ref": "#/components/schemas/Entry", "components": api["components"]}
                jsonschema.Draft202012Validator(entry).validate(json.loads(got[0]["data"]))
                print(event(follow(last=2))["id"], event(follow("/v1/journal?after=1"))["id"])
                one = follow("/v1/journal?request=2")
                print(event(one)["id"])
                call("POST", "/v1/requests/2/cancel")
                print(event(one)["event"], event(all)["event"])
                for accept in ("text/event-streamx", "text/event-stream;q=0", "*/*"):
                    connection = Connection("localhost", timeout=30)
                    connection.request("GET", "/v1/journal", headers={"Accept": accept})
                    print(connection.getresponse().getheader("Content-Type"), end=" ")
                    connection.close()
                print()
                later = follow(last=99)
                host.send_signal(signal.SIGTERM)
                def ends(answer):
                    words = []
                    while (found := event(answer)) is not None: words.append(found["event"])
                    return words
                print(ends(one), ends(later), host.wait(30))
                """)
        #expect(
            output == """
                200 text/event-stream host-started
                [('2', 'submitted', 1), ('3', 'submitted', 2)]
                3 2
                3
                cancelled cancelled
                application/json application/json application/json \("")
                ['bye'] ['bye'] 0
                ended 0 False

                """, "\(output)")
    }

    @Test("followers that read nothing delay nobody, and there are 256 at most")
    func silent() throws {
        let output = try serve(
            Self.events + """
                before = descriptors(host)
                silent = [follow() for _ in range(255)]
                reader = follow()
                print(follow().status)
                items = [{"identifier": "org.example.a", "after": "1h", "payload": "x" * 50} for _ in range(250)]
                seen = [int(event(reader)["id"])]
                for _ in range(8): call("POST", "/v1/requests:batch", {"items": items})
                while len(seen) < 2001: seen.append(int(event(reader)["id"]))
                print(seen == list(range(1, len(seen) + 1)), len(seen))
                for each in silent: each.close()
                """, limit: .seconds(120))
        #expect(output == "429\nTrue 2001\nended 0 False\n", "\(output)")
    }

    @Test("settings and factors are set over the socket, and what is wrong about one is said")
    func settings() throws {
        let output = try serve(
            """
            def told(answer): return answer["error"]["code"], answer["error"]["message"]
            print(call("GET", "/v1/settings"))
            call("POST", "/v1/drain")
            call("POST", "/v1/requests", {"command": ["/bin/true"]})
            print(call("PUT", "/v1/handlers/org.curfew.command/settings", {"enablement": "suspended"}))
            call("PUT", "/v1/plugins/org.example.tidy/settings", {"refreshSetting": "denied"})
            print(len(call("PUT", "/v1/settings", {"refreshSetting": "restricted"})[1]["settings"]))
            call("DELETE", "/v1/drain")
            print([each["factor"] for each in call("GET", "/v1/requests/1/why")[1]["factors"] if each["holds"]])
            print(subprocess.run([program, "settings", "--store", store, "--json"], capture_output=True, text=True).stdout
                  == json.dumps(call("GET", "/v1/settings")[1], separators=(",", ":")) + "\\n")
            print(len(call("PUT", "/v1/handlers/org.curfew.command/settings", {})[1]["settings"]))
            print(call("GET", "/v1/requests/1/wait")[1]["outcome"])
            for target, body in (("/v1/settings", {"enablement": "off"}), ("/v1/settings", {"enabled": "enabled"}),
                                 ("/v1/settings", []), ("/v1/handlers/a/settings", {}), ("/v1/settings", {"enablement": None})):
                status, answer = call("PUT", target, body)
                print(status, *told(answer))
            print(call("PUT", "/v1/settings")[0], call("PATCH", "/v1/settings")[1]["error"]["message"])
            status, thermal = call("PUT", "/v1/factors/thermal", {"state": "no", "detail": "a \\u202e test", "for": "1h"})
            print(status, thermal["state"], thermal["source"], re.sub("until .*", "until …", thermal["detail"]))
            print(call("PUT", "/v1/factors/thermal", {"state": "unknown"})[1]["detail"])
            print(call("DELETE", "/v1/factors/thermal")[1]["source"] != "by hand")
            for target, body in (("date", {"state": "no"}), ("history", {"state": "no"}), ("idle", {}), ("idle", {"state": "no", "for": "0s"}),
                                 ("idle", {"state": "no", "for": 5}), ("idle", {"state": "met"})):
                status, answer = call("PUT", "/v1/factors/" + target, body)
                print(status, *told(answer))
            """)
        #expect(
            output == """
                (200, {'settings': []})
                (200, {'settings': [{'scope': 'identifier', 'name': 'org.curfew.command', 'refreshSetting': 'available', 'enablement': 'suspended'}]})
                3
                ['enablement']
                True
                2
                succeeded
                422 refused `enablement` is `off`
                422 refused the body has no member `enabled`
                422 refused the body has to be an object
                422 refused "a" is not an identifier: write a reverse-DNS name such as org.example.tidy
                422 refused `enablement` has to be text, not null
                400 the method has to be GET or PUT here
                200 no by hand a \\u{202e} test, until …
                set by hand
                True
                404 notFound the machine has no factor `date`
                404 notFound the machine has no factor `history`
                422 refused the body has no `state`
                422 refused `for 0s` is out of bounds
                422 refused `for` has to be text, not a number
                422 refused `state` is `met`
                ended 0 False

                """, "\(output)")
    }

    @Test("a schedule whose request is over is restarted, and another one is not")
    func restartedSchedule() throws {
        let output = try serve(
            """
            os.killpg(host.pid, signal.SIGKILL)
            host.wait()
            config = os.environ["HOME"] + "/curfew.json"
            with open(config, "w") as file:
                json.dump({"schedules": [{"name": "hourly", "command": ["/bin/true"], "every": "1h"}]}, file)
            host = start("--config", config)
            status, answer = call("POST", "/v1/schedules/hourly/launch")
            print(status, answer["id"], call("GET", "/v1/requests/1")[1]["launches"] <= 1)
            while call("GET", "/v1/requests/1")[1]["launches"] == 0: pass
            while call("GET", "/v1/requests/1")[1]["state"] != "pending": pass
            print(call("POST", "/v1/schedules/daily/launch")[0])
            print(call("POST", "/v1/requests/1/cancel")[1]["state"])
            status, answer = call("POST", "/v1/schedules/hourly/launch")
            print(status, answer["error"]["message"], answer["error"]["help"][-1].split(" --store")[0])
            status, answer = call("POST", "/v1/schedules/hourly/restart")
            print(status, [(each["name"], each["state"]) for each in answer["schedules"]])
            print(call("POST", "/v1/schedules/hourly/restart")[1]["error"]["message"])
            print(call("POST", "/v1/schedules/daily/restart")[0])
            print(call("POST", "/v1/schedules/hourly/restart", {})[0])
            """)
        #expect(
            output == """
                200 1 True
                404
                cancelled
                409 schedule `hourly` cannot be launched: its request 1 is cancelled curfew schedules --restart hourly
                200 [('hourly', 'pending')]
                schedule `hourly` is not over: its request 1 is pending
                404
                400
                ended 0 False

                """, "\(output)")
    }

    /// The number of hosts to kill; `make torture` sets it.
    private static let kills =
        ProcessInfo.processInfo.environment["CURFEW_KILLS"].flatMap(Int.init) ?? 12

    @Test(
        "whatever was acknowledged outlives hosts that are killed, also amid reloads and drains, and is there once"
    )
    func kills() throws {
        let output = try serve(
            """
            random.seed(11)
            os.killpg(host.pid, signal.SIGKILL)
            host.wait()
            config = os.environ["HOME"] + "/curfew.json"
            def schedules(names):
                with open(config + ".new", "w") as file:
                    json.dump({"schedules": [
                        {"name": name, "command": ["/bin/true"], "every": "1h"} for name in names]}, file)
                os.rename(config + ".new", config)
            schedules([])
            host = start("--config", config)
            kills, sent, known, lock = \(Self.kills), 0, {}, threading.Lock()
            stop = threading.Event()
            def submit(name):
                # A request whose answer did not come is submitted again under its key.
                number = 0
                connection = None
                while not stop.is_set():
                    key = "%d-%d" % (name, number)
                    try:
                        if connection is None:
                            connection = Connection("localhost", timeout=30)
                        status, answer = ask(connection, "POST", "/v1/requests", {
                            "identifier": "org.example.a%d" % name, "after": "1h", "key": key, "payload": key})
                        assert status in (200, 201, 503), answer
                        if status == 503: continue
                        with lock: known[key] = answer["id"]
                        number += 1
                    except (OSError, http.client.HTTPException):
                        connection = None
            def operate():
                # The schedules change, the host is drained, and launches again.
                while not stop.is_set():
                    schedules(random.sample(["one", "two", "three", "four"], random.randrange(5)))
                    for method, target in [
                        ("POST", "/v1/reload"), ("POST", "/v1/drain?timeout=5ms"), ("DELETE", "/v1/drain")]:
                        try:
                            assert call(method, target)[0] in (200, 202, 503)
                        except (OSError, http.client.HTTPException):
                            pass
            clients = [threading.Thread(target=submit, args=(name,)) for name in range(6)]
            clients.append(threading.Thread(target=operate))
            for each in clients: each.start()
            for _ in range(kills):
                enough = len(known) + random.randrange(1, 60)
                while len(known) < enough: time.sleep(0.001)
                os.killpg(host.pid, signal.SIGKILL)
                host.wait()
                host = start("--config", config)
            stop.set()
            for each in clients: each.join()
            print(len(known) >= kills, len(set(known.values())) == len(known))
            wrong = [key for key, number in known.items()
                     if call("GET", "/v1/requests/%d/payload" % number)[1].decode() != key]
            # One that nobody knows of may be there for each client: its answer was lost.
            count = 0
            for name in range(6):
                page = call("GET", "/v1/requests?limit=1&identifier=org.example.a%d" % name)[1]
                count += page["more"] + len(page["requests"])
            print(wrong, 0 <= count - len(known) <= 6)
            # A schedule has one request, whenever its host was killed, and one that was removed has none.
            schedules(["two", "four"])
            call("POST", "/v1/reload")
            print(sorted(each["name"] for each in call("GET", "/v1/schedules")[1]["schedules"]))
            page = call("GET", "/v1/requests?limit=100&identifier=org.curfew.command&state=pending,running")[1]
            print(len(page["requests"]))
            """, limit: .seconds(60 + Self.kills))
        #expect(
            output == "True True\n[] True\n['four', 'two']\n2\nended 0 False\n", "\(output)")
    }
}
