// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Other users at the control socket: processes with numbers of their own, which only root can start.
@Suite(
    "Roles of the control socket",
    .enabled(
        if: (try? ChildProcess.run(
            "setpriv", ["--reuid", "12000", "--regid", "12000", "--groups", "12900", "true"]))?
            .succeeded ?? false))
struct RolesTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python beside a host with the plugin `process` and a user for each role. `call` asks as a
    /// user, and returns the status and the answer.
    private func serve(_ script: String) throws -> String {
        let head = """
            import json, os, signal, subprocess, sys, threading, time
            program, place, plugin, document = sys.argv[1:5]
            os.chmod(place, 0o755)
            path = os.path.join(place, "reached.sock")
            store = os.path.join(place, "store")
            file = os.path.join(place, "curfew.json")
            one = "org.curfew.test.process.one"
            users = {"none": 12000, "read": 12001, "submit": 12002, "operate": 12003, "admin": 12004, "other": 12005}
            roles = {name: {"users": [str(users[name])]} for name in ("read", "submit", "operate", "admin")}
            roles["submit"] = {"groups": ["12900"], "identifiers": ["org.curfew.test.process.*"]}
            def configure(**more):
                with open(file, "w") as out:
                    json.dump({"store": store, "plugins": {"directories": [plugin]}, "apps": {"enabled": False},
                               "control": {"socket": path, "mode": "0666", "roles": roles, **more}}, out)
            configure()
            lines = []
            host = subprocess.Popen([program, "serve", "--config", file, "--json"], stdout=subprocess.PIPE,
                                    start_new_session=True)
            for line in host.stdout:
                lines.append(json.loads(line))
                if lines[-1]["event"] == "serving":
                    break
            threading.Thread(target=lambda: lines.extend(json.loads(line) for line in host.stdout), daemon=True).start()

            def run(user, *words):
                number = users.get(user, 0)
                groups = [12900, 5] if user in ("submit", "other") else []
                return subprocess.run(words, capture_output=True, user=number, group=number, extra_groups=groups)
            def call(user, method, target, body=None):
                words = ["curl", "-s", "--unix-socket", path, "-X", method, "-w", "\\n%{http_code}", "http://x" + target]
                if body is not None:
                    words += ["-H", "Content-Type: application/json", "--data-binary", json.dumps(body)]
                done = run(user, *words)
                text, _, status = done.stdout.decode().rpartition("\\n")
                try: text = json.loads(text)
                except ValueError: pass
                return int(status), text
            def submit(user, **more):
                return call(user, "POST", "/v1/requests", {"identifier": one, "after": "1h", **more})
            def journal(request=None):
                query = "" if request is None else "&request=%d" % request
                return call("read", "GET", "/v1/journal?limit=1000" + query)[1]["entries"]
            def until(what):
                end = time.monotonic() + 30
                while not what():
                    if time.monotonic() > end: sys.exit("not within 30 s")
                    time.sleep(0.01)
            try:

            """
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        let tail = """

                host.send_signal(signal.SIGTERM)
                print("ended", host.wait(30), os.path.exists(path), os.path.lexists(store + "/control.sock"))
            finally:
                if host.poll() is None: host.kill()
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", head + body + tail, CommandRun.program, files.path,
                BuiltProducts.testPluginDirectory("process"),
                BuiltProducts.packageRoot + "/Documentation/openapi.json",
            ],
            environment: CommandRun.environment, limit: .seconds(120))
        #expect(run.succeeded, "\(run)")
        return run.output
    }

    private static let ended = "ended 0 False False\n"

    @Test("each call is for those whose role it needs, and for the owner of a request")
    func table() throws {
        let output = try serve(
            """
            def made(user):
                status, answer = submit(user)
                assert status == 201, (user, status, answer)
                return answer["id"]
            names = ["none", "read", "submit", "operate", "admin"]
            # By role: none, read, submit (its own), operate, admin; and `other`, who may submit and asks for what is not his.
            table = {
                "GET /v1/host": "- x x x x x", "GET /v1/health": "- x - x x -",
                "GET /v1/tasks": "- x - x x -", "GET /v1/handlers": "- x - x x -", "GET /v1/plugins": "- x - x x -",
                "GET /v1/hosts": "- x - x x -", "GET /": "- x x x x x", "GET /page/{name}": "- x x x x x",
                "GET /v1/me": "- x x x x x", "POST /v1/web": "- x - x x -", "GET /metrics": "- x - x x -",
                "GET /v1/statistics": "- x - x x -", "GET /v1/misses": "- x - x x -", "GET /v1/ends": "- x - x x -",
                "GET /v1/counts": "- x - x x -", "GET /v1/usage": "- x - x x -",
                "GET /v1/factors/history": "- x - x x -", "POST /v1/plugins/{name}/release": "- - - - 4 -",
                "POST /v1/handlers/{name}/pause": "- - - x x -", "POST /v1/handlers/{name}/resume": "- - - x x -",
                "POST /v1/schedules/{name}/restart": "- - - 4 4 -",
                "POST /v1/schedules/{name}/launch": "- - - 4 4 -",
                "GET /v1/settings": "- x - x x -", "PUT /v1/settings": "- - - x x -",
                "PUT /v1/handlers/{name}/settings": "- - - x x -", "PUT /v1/plugins/{name}/settings": "- - - x x -",
                "PUT /v1/factors/{name}": "- - - - x -", "DELETE /v1/factors/{name}": "- - - - x -",
                "POST /v1/requests:cancel": "- - - x x -", "POST /v1/requests:retry": "- - - x x -",
                "POST /v1/requests:launch": "- - - x x -", "POST /v1/requests:release": "- - - x x -",
                "GET /v1/factors": "- x - x x -", "GET /v1/schedules": "- x - x x -", "GET /v1/journal": "- x - x x -",
                "GET /v1/requests": "- x x x x x", "GET /v1/requests/{id}": "- x x x x 4",
                "GET /v1/requests/{id}/why": "- x x x x 4", "GET /v1/requests/{id}/history": "- x x x x 4",
                "GET /v1/requests/{id}/wait?timeout=1ms": "- x x x x 4", "GET /v1/requests/{id}/payload": "- - x x x 4",
                "POST /v1/requests/{id}/cancel": "- - x x x 4", "POST /v1/requests/{id}/retry": "- - x x x 4",
                "POST /v1/requests/{id}/launch": "- - - x x -", "POST /v1/requests/{id}/release": "- - - x x -",
                "POST /v1/reload": "- - - - x -", "POST /v1/drain": "- - - - x -", "DELETE /v1/drain": "- - - - x -",
            }
            paths = json.load(open(document))["paths"]
            # Those that submit are below.
            calls = {method.upper() + " " + path for path, methods in paths.items() for method in methods}
            print("{%s}" % ", ".join(repr(call) for call in sorted(calls ^ {row.split("?")[0] for row in table})))
            for row, wanted in table.items():
                method, target = row.split(" ")
                seen = []
                for user in names + ["other"]:
                    own = made("submit" if user in ("submit", "other") else "admin")
                    if "/retry" in target: call("admin", "POST", "/v1/requests/%d/cancel" % own)
                    name = "page.css" if "/page/" in target else one if "/handlers/" in target else "idle" if "/factors/" in target else "org.example.none"
                    body = {"ids": [own]} if ":" in target else {} if "settings" in target else {"state": "yes"}
                    has_body = ":" in target or method == "PUT"
                    status, answer = call(user, method, target.replace("{id}", str(own)).replace("{name}", name),
                                          body if has_body else None)
                    if "/release" in target and status == 409: status = 200
                    seen.append("x" if status < 300 else "4" if status == 404 else "-" if status == 403 else str(status))
                    if status == 403: assert answer["error"]["code"] in ("role", "denied"), answer
                    if status == 404 and "{id}" in target:
                        assert answer["error"]["message"] == "there is no request %d" % own, answer
                if " ".join(seen) != wanted: print(row, " ".join(seen), "not", wanted)
            print([submit(user)[0] for user in names], call("none", "GET", "/v1/nowhere")[0], call("read", "GET", "/v1/nowhere")[0])
            """)
        #expect(
            output == """
                {'POST /v1/requests', 'POST /v1/requests:batch'}
                [403, 403, 201, 403, 201] 403 404

                """ + Self.ended, "\(output)")
    }

    @Test("owners: lists, keys, identifiers, programs, batches; the journal says who asked")
    func owners() throws {
        let output = try serve(
            """
            a, b = submit("submit", key="k")[1]["id"], submit("other", key="k")[1]["id"]
            again = submit("submit", key="k")[1]["id"]
            print(a != b, again == a, submit("other", key="k", priority="high")[1]["error"]["message"].split()[:2] == ["request", str(b)])
            def listed(user): return [r["id"] for r in call(user, "GET", "/v1/requests")[1]["requests"]]
            print(listed("submit") == [a], listed("other") == [b], sorted(listed("read")) == [a, b])
            print(call("submit", "GET", "/v1/requests/%d" % a)[1]["owner"], call("read", "GET", "/v1/requests/%d" % a)[1]["owner"])
            print(submit("other", onPending="replace")[1]["replaced"] == [b], call("submit", "GET", "/v1/requests/%d" % a)[1]["state"])
            print(submit("submit", identifier="org.example.tidy")[1]["error"]["help"])
            print(call("submit", "POST", "/v1/requests", {"command": ["/bin/true"]})[0], call("admin", "POST", "/v1/requests", {"command": ["/bin/true"]})[0])
            items = [{"identifier": one}, {"identifier": "org.example.tidy"}, {"command": ["/bin/true"]}]
            print([item["status"] for item in call("submit", "POST", "/v1/requests:batch", {"items": items})[1]["items"]])
            call("submit", "POST", "/v1/requests/%d/cancel" % a)
            print([e["detail"].split(" (")[0] for e in journal(a)])
            print(call("read", "POST", "/v1/requests/%d/cancel" % a)[0])
            until(lambda: len([e for e in journal() if e["what"] == "audited"]) == 2)
            print([e["detail"].split(" (")[0] for e in journal() if e["what"] == "audited"])
            for _ in range(20): call("none", "POST", "/v1/drain")
            call("admin", "POST", "/v1/drain"); call("admin", "DELETE", "/v1/drain")
            until(lambda: any(e["detail"].startswith("end of drain") for e in journal()))
            print([e["detail"].split(" (")[0] for e in journal() if e["what"] == "audited"][2:])
            # The command line of the host's own user has it as well.
            print(subprocess.run([program, "show", str(a), "--store", store], capture_output=True, text=True).stdout.count("user 12002"))
            """)
        #expect(
            output == """
                True True True
                True True True
                12002 12002
                True pending
                ['the host permits org.curfew.test.process.*']
                403 201
                [201, 403, 403]
                ['by user 12002', 'by user 12002']
                403
                ['refused: to submit org.example.tidy, asked by user 12002', 'refused: cancel, asked by user 12001']
                ['refused: a call, asked by user 12000', 'drain by user 12004', 'end of drain by user 12004']
                3

                """ + Self.ended, "\(output)")
    }

    @Test("a handler, and a program, learn which user has submitted their request")
    func toldOwner() throws {
        let output = try serve(
            """
            programs = os.path.join(place, "program")
            os.mkdir(programs)
            with open(os.path.join(programs, "manifest.json"), "w") as out:
                json.dump({"id": "org.curfew.test.owners", "version": "1.0.0", "abi": 0, "handlers": [
                    {"identifier": "org.curfew.test.process.program", "kind": "processing", "form": "command",
                     "command": {"argv": ["/bin/sh", "-c", "echo curfew: result ${CURFEW_OWNER-unset}"]}}]}, out)
            os.chmod(programs, 0o755)
            with open(file) as given: settings = json.load(given)
            settings["plugins"]["directories"] = [plugin, programs]
            with open(file, "w") as out: json.dump(settings, out)
            host.send_signal(signal.SIGTERM); host.wait(30)
            host = subprocess.Popen([program, "serve", "--config", file, "--json"], stdout=subprocess.PIPE, start_new_session=True)
            while json.loads(host.stdout.readline())["event"] != "serving": pass
            threading.Thread(target=host.stdout.read, daemon=True).start()
            def result(answer):
                status, answer = answer
                assert status == 201, answer
                own = "/v1/requests/%d" % answer["id"]
                call("admin", "GET", own + "/wait?timeout=30s")
                return [each["result"] for each in call("admin", "GET", own)[1]["attemptList"]]
            for identifier, payload in ((one, "owner"), ("org.curfew.test.process.program", "")):
                def own(user): return result(call(user, "POST", "/v1/requests", {"identifier": identifier, "payload": payload}))
                done = subprocess.run([program, "submit", identifier, "--payload", payload, "--wait", "--store", store], capture_output=True)
                print(own("submit"), own("other"), own("admin"), done.returncode)
                print([result((201, each)) for each in call("admin", "GET", "/v1/requests?identifier=" + identifier)[1]["requests"] if each["owner"] is None])
            """)
        #expect(
            output == """
                ['12002'] ['12005'] ['12004'] 0
                [['-1']]
                ['12002'] ['12005'] ['12004'] 0
                [['unset']]

                """ + Self.ended, "\(output)")
    }

    @Test("a user who submits too fast waits, and roles that are read again count at once")
    func limits() throws {
        let output = try serve(
            """
            configure(submitRate=5)
            host.send_signal(signal.SIGHUP)
            until(lambda: any(line["event"] == "planned" for line in lines))
            items = {"items": [{"identifier": one, "after": "1h"}] * 50}
            print(call("submit", "POST", "/v1/requests:batch", items)[0])
            status, answer = call("submit", "POST", "/v1/requests:batch", items)
            print(status, answer["error"]["code"], call("other", "POST", "/v1/requests:batch", items)[0], call("admin", "POST", "/v1/requests:batch", items)[0])
            roles["read"] = {"users": [str(users["none"]), "no-such-user"]}
            configure()
            print(subprocess.run([program, "reload", "--store", store], capture_output=True).returncode)
            print(call("none", "GET", "/v1/journal")[0], call("read", "GET", "/v1/journal")[0])
            print([line["text"] for line in lines if "no-such-user" in line.get("text", "")])
            checked = subprocess.run([program, "serve", "--check", "--config", file], capture_output=True, text=True)
            print(checked.returncode, [line for line in checked.stdout.splitlines() if "no-such" in line])
            # A user without a role takes no place from others.
            import socket
            reader, writer = os.pipe()
            hoarder = os.fork()
            if hoarder == 0:
                os.setgroups([]); os.setgid(12000); os.setuid(12000)
                kept = [socket.socket(socket.AF_UNIX) for _ in range(300)]
                for connection in kept:
                    try:
                        connection.connect(path)
                        connection.send(b"G")
                    except OSError: pass
                os.write(writer, b"x")
                time.sleep(60)
                os._exit(0)
            os.read(reader, 1)
            print(len(os.listdir("/proc/%d/fd" % host.pid)) < 300, call("submit", "GET", "/v1/host")[0])
            os.kill(hoarder, signal.SIGKILL)
            os.waitpid(hoarder, 0)
            """)
        #expect(
            output == """
                200
                429 rate 200 200
                0
                200 403
                ['there is no user or group `no-such-user`, which the configuration gives the role read; nobody has it by that name']
                1 ['fault: control: there is no user or group `no-such-user`, which has the role read']
                True 200

                """ + Self.ended, "\(output)")
    }

    @Test("the command line of another user, with --socket: as for a store of that user's own")
    func commands() throws {
        let output = try serve(
            """
            import shutil
            mine = os.path.join(place, "curfew")
            shutil.copy(program, mine)
            os.chmod(mine, 0o755)
            def curfew(user, *words, socket=path):
                done = run(user, mine, *words, *(["--socket", socket] if socket else []))
                return done.returncode, done.stdout.decode(), done.stderr.decode()
            def own(*words):
                done = subprocess.run([program, *words, "--store", store], capture_output=True, text=True)
                return done.stdout.replace("--store " + store, "--socket " + path)
            print(curfew("submit", "submit", one, "--after", "1h", "--needs", "network,external-power", "--attempts", "3", "--key", "k")[1].replace(path, "PATH"), end="")
            print(curfew("submit", "submit", one, "--after", "1h", "--needs", "network,external-power", "--attempts", "3", "--key", "k")[1].split()[0])
            payload = os.path.join(place, "payload")
            with open(payload, "wb") as out: out.write(bytes(range(256)))
            os.chmod(payload, 0o644)
            print(json.loads(curfew("submit", "submit", one, "--after", "1h", "--payload", "@" + payload, "--json")[1])["id"])
            print(subprocess.run([program, "show", "2", "--payload", "--store", store], capture_output=True).stdout == bytes(range(256)))
            submit("other")
            # Of how long ago something was, and of what the host has loaded, two answers can differ; not for long.
            def same(words):
                seen = [curfew(user, *words) for user in ("admin", "submit")]
                # One's own are two of three.
                compared = seen[:1] if words in (["show", "1-3"], ["ps"]) else seen
                return all(answer[1] == own(*words) for answer in compared)
            for words in (["ps"], ["show", "1"], ["show", "1-3"], ["why", "2"], ["why", "--history", "1"]):
                until(lambda: same(words))
            print(len(json.loads(curfew("submit", "ps", "--json")[1])["requests"]), json.loads(curfew("admin", "show", "3", "--json")[1])["owner"])
            print(curfew("submit", "cancel", "1", "2"), curfew("submit", "retry", "2")[1], sep="", end="")
            print(curfew("submit", "show", "3")[0], curfew("submit", "cancel", "3")[2].split(chr(10))[0], curfew("read", "cancel", "3")[0])
            print(curfew("none", "ps")[2].split(chr(10))[0], curfew("submit", "ps", "--watch")[0], curfew("submit", "ps", "--store", "x")[0])
            print(curfew("submit", "ps", socket=path + ".none")[2].split(chr(10))[0].replace(path, "PATH"))
            print(curfew("submit", "submit", "org.example.tidy")[2].split(chr(10))[0], curfew("submit", "submit", "--socket", path, "--", "/bin/true", socket=None)[2].split(chr(10))[0])
            print(run("submit", "env", "CURFEW_SOCKET=" + path, mine, "ps", "--all").stdout.decode().count(one))
            """)
        let head = "queued  1  org.curfew.test.process.one"
        #expect(
            output == """
                \(head)
                        follow it: curfew show 1 --socket PATH
                duplicate-key
                2
                True
                2 12005
                (0, '1  org.curfew.test.process.one  cancelled\\n2  org.curfew.test.process.one  cancelled\\n', '')2  org.curfew.test.process.one  pending again, and may be launched at once
                4 error: there is no request 3 5
                error: user 12000 has no role with this host 2 2
                error: no host is at the socket PATH.none: No such file or directory
                error: `org.example.tidy` may not be submitted by this user error: a program runs with the rights of the host's user
                2

                """ + Self.ended, "\(output)")
    }

    @Test("a role that was taken away ends what came of it: streams, and launches")
    func taken() throws {
        let output = try serve(
            """
            made = submit("submit")[1]["id"]
            done = call("admin", "POST", "/v1/requests", {"command": ["/bin/true"], "after": "1h"})[1]["id"]
            call("submit", "POST", "/v1/requests/%d/cancel" % made)
            call("admin", "POST", "/v1/requests/%d/cancel" % done)
            stream = subprocess.Popen(
                ["curl", "-sN", "--unix-socket", path, "-H", "Accept: text/event-stream", "http://x/v1/journal"],
                stdout=subprocess.PIPE, user=12001, group=12001, extra_groups=[])
            stream.stdout.readline()
            # A request that runs, of another user.
            held = os.path.join(place, "held")
            running = submit("other", after="0s", payload="wait " + held)[1]["id"]
            waiting = submit("submit", after="0s")[1]["id"]
            until(lambda: call("operate", "GET", "/v1/requests/%d" % running)[1]["state"] == "running")
            until(lambda: "another request" in json.dumps(call("submit", "GET", "/v1/requests/%d/why" % waiting)[1]))
            print("request %d" % running in json.dumps(call("submit", "GET", "/v1/requests/%d/why" % waiting)[1]),
                  "request %d" % running in json.dumps(call("operate", "GET", "/v1/requests/%d/why" % waiting)[1]))
            open(held, "w").close()
            roles["read"] = {"users": []}
            roles["submit"] = {"groups": [12900], "users": [users["admin"]], "identifiers": ["org.example.*"]}
            roles["admin"] = {"users": []}
            configure()
            print(subprocess.run([program, "reload", "--store", store], capture_output=True).returncode)
            tried = (("submit", made), ("admin", done), ("operate", made), ("operate", done))
            print([call(user, "POST", "/v1/requests/%d/retry" % id)[0] for user, id in tried])
            print(b"event: bye" in stream.stdout.read(), stream.wait(30))
            # The host falls back to the socket in its store where the path cannot be had.
            configure(socket=os.path.join(place, "none", "s.sock"))
            host.send_signal(signal.SIGTERM)
            host.wait(30)
            host = subprocess.Popen([program, "serve", "--config", file, "--json"], stdout=subprocess.PIPE)
            for line in host.stdout:
                if json.loads(line)["event"] == "serving": break
            threading.Thread(target=host.stdout.read, daemon=True).start()
            until(lambda: b"no control socket at" in subprocess.run(
                [program, "health", "--store", store], capture_output=True).stdout)
            host.kill()
            host.wait()
            # What it has left is in nobody's way.
            configure()
            host = subprocess.Popen([program, "serve", "--config", file, "--json"], stdout=subprocess.PIPE)
            for line in host.stdout:
                if json.loads(line)["event"] == "serving": break
            threading.Thread(target=host.stdout.read, daemon=True).start()
            until(lambda: subprocess.run([program, "health", "--store", store], capture_output=True).returncode == 0)
            print(call("operate", "GET", "/v1/host")[0])
            """)
        #expect(
            output == """
                False True
                0
                [403, 403, 200, 403]
                True 0
                200

                """ + Self.ended, "\(output)")
    }
}
