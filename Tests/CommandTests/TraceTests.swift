// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Traces that go through requests, and a collector that gets their launches.
struct TraceTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    @Test(
        "a trace goes on through submission, launch and program; the collector gets spans as OTLP has them"
    )
    func collected() throws {
        let script = """
            import http.server, json, os, re, signal, subprocess, sys, threading, time
            program, place = sys.argv[1:3]
            store, bodies, answers, seen = place + "/store", [], [], []
            class Collector(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    seen.append((self.path, self.headers["Content-Type"], self.headers["X-Key"]))
                    status = answers.pop(0) if answers else 200
                    if status == 200: bodies.append(json.loads(body))
                    self.send_response(status)
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")
                def log_message(self, *words): pass
            collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
            threading.Thread(target=collector.serve_forever, daemon=True).start()
            with open(place + "/curfew.json", "w") as out:
                json.dump({"store": store, "apps": {"enabled": False}, "traces": {
                    "endpoint": "http://127.0.0.1:%d/v1/traces" % collector.server_port, "service": "nightly",
                    "headers": {"X-Key": "secret"}}}, out)
            host = subprocess.Popen([program, "serve", "--config", place + "/curfew.json", "--json"], stdout=subprocess.PIPE)
            lines = []
            for line in host.stdout:
                lines.append(line.decode())
                if '"serving"' in lines[-1]: break
            threading.Thread(target=lambda: lines.extend(line.decode() for line in host.stdout), daemon=True).start()
            def run(*words, **variables):
                done = subprocess.run([program, words[0], "--store", store, *words[1:]], capture_output=True, text=True,
                                      env={**os.environ, **variables})
                return done.returncode, done.stdout
            def spans():
                return [s for body in list(bodies) for r in body["resourceSpans"] for g in r["scopeSpans"] for s in g["spans"]]
            def until(what, text):
                end = time.monotonic() + 60
                while not what():
                    if time.monotonic() > end: sys.exit("not within 60 s: %s %s" % (text, bodies))
                    time.sleep(0.02)
            given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            print(run("submit", "--wait", "--trace", given, "--", "/bin/sh", "-c", "echo $TRACEPARENT >%s/told; exit 3" % place)[0])
            until(lambda: len(spans()) >= 2, "spans")
            wait, ran = spans()
            told = open(place + "/told").read().strip().split("-")
            print(told[1], told[2] == ran["spanId"], wait["name"], ran["name"])
            for span in (wait, ran):
                assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"]), span
                assert span["traceId"] == told[1] and span["parentSpanId"] == "00f067aa0ba902b7", span
                assert all(re.fullmatch("[0-9]{19}", span[key]) for key in ("startTimeUnixNano", "endTimeUnixNano")), span
                assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
                assert all(set(a) == {"key", "value"} and len(a["value"]) == 1 for a in span["attributes"]), span
            print(wait["endTimeUnixNano"] == ran["startTimeUnixNano"], wait["spanId"] != ran["spanId"], wait["kind"], ran["kind"])
            print({a["key"]: list(a["value"].values())[0] for a in ran["attributes"] if a["key"] in ("curfew.outcome", "process.exit.code", "curfew.request")}, ran["status"])
            resource = {a["key"]: a["value"]["stringValue"] for a in bodies[0]["resourceSpans"][0]["resource"]["attributes"]}
            print(resource["service.name"], seen[0])
            # From the environment, over HTTP, and none.
            run("submit", "--wait", "--", "/bin/true", TRACEPARENT=given)
            run("submit", "--wait", "--", "/bin/true", TRACEPARENT="nonsense")
            subprocess.run(["curl", "-s", "--unix-socket", store + "/control.sock", "-H", "Content-Type: application/json",
                            "-H", "traceparent: " + given, "-d", '{"command": ["/bin/true"]}', "http://x/v1/requests"],
                           capture_output=True)
            until(lambda: len([s for s in spans() if s["name"].startswith("run")]) == 4, "four launches")
            ran = [s for s in spans() if s["name"].startswith("run")]
            print([s["traceId"] == told[1] for s in ran], ["parentSpanId" in s for s in ran], len({s["spanId"] for s in ran}))
            shown = json.loads(run("show", "2", "--json")[1])
            print(shown["trace"], "4bf92f35" in run("show", "2")[1], json.loads(run("show", "3", "--json")[1])["trace"])
            # An unsampled one is passed on and not recorded; then one that the collector takes at the second try, and one never.
            run("submit", "--wait", "--trace", given[:-1] + "0", "--", "/bin/true")
            answers += [503, 200]
            run("submit", "--wait", "--", "/bin/true")
            until(lambda: len([s for s in spans() if s["name"].startswith("run")]) == 5, "one more")
            answers += [400]
            run("submit", "--wait", "--", "/bin/true")
            until(lambda: not answers, "a refusal")
            run("submit", "--wait", "--", "/bin/true")
            until(lambda: len([s for s in spans() if s["name"].startswith("run")]) == 6, "one after it")
            print(any("are left out" in line for line in lines), any("1 launch is missing" in line for line in lines),
                  any("secret" in line for line in lines), run("submit", "--trace", "x", "--", "/bin/true")[0])
            # One that does not answer at all delays no end.
            collector.shutdown()
            collector.server_close()
            begun = time.monotonic()
            run("submit", "--wait", "--", "/bin/true")
            host.send_signal(signal.SIGTERM)
            print(host.wait(30), time.monotonic() - begun < 15)
            until(lambda: any("traces of 1 launch were not sent" in line for line in lines), "what is lost")
            print(all(json.loads(line)["request"] for line in lines if " runs /bin/" in line))
            """
        let run = try ChildProcess.run(
            "python3", ["-c", script, CommandRun.program, files.path],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(120))
        #expect(
            run.output == """
                100
                4bf92f3577b34da6a3ce929d0e0e4736 True wait org.curfew.command run org.curfew.command
                True True 1 5
                {'curfew.request': '1', 'curfew.outcome': 'failed', 'process.exit.code': '3'} {'code': 2, 'message': 'exited with status 3'}
                nightly ('/v1/traces', 'application/json', 'secret')
                [True, True, False, True] [True, True, False, True] 4
                00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 True None
                True True False 2
                0 True
                True

                """, "\(run)")
    }

    @Test(
        "a handler learns its place, in a thread and in a process, and what it submits goes on with it"
    )
    func told() throws {
        let script = """
            import json, signal, subprocess, sys, time
            program, place, plugin = sys.argv[1:4]
            given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            one = "org.curfew.test.process.one"
            for isolation in ("thread", "process", "fresh"):
                store = place + "/" + isolation
                host = subprocess.Popen([program, "serve", "--store", store, "--plugin", plugin, "--isolation", isolation],
                                        stdout=subprocess.PIPE)
                host.stdout.readline()
                def run(*words):
                    return subprocess.run([program, words[0], "--store", store, *words[1:]], capture_output=True, text=True)
                def result(number):
                    run("wait", str(number))
                    shown = json.loads(run("show", str(number), "--json").stdout)
                    return shown["trace"], shown["attemptList"][0]["result"]
                run("submit", "--trace", given, "--payload", "trace " + one, one)
                trace, first = result(1)
                then, second = result(2)
                print(isolation, trace == given, first.split("-")[1] == given.split("-")[1], first != given, then == first,
                      second.split("-")[1] == given.split("-")[1], second.split("-")[2] not in (first.split("-")[2], given.split("-")[2]))
                run("submit", "--payload", "trace", one)
                trace, own = result(3)
                print(trace, len(own), own.split("-")[1] != given.split("-")[1])
                host.send_signal(signal.SIGTERM)
                host.wait(30)
            done = subprocess.run([program, "run", "--plugin", plugin, "--payload", "trace", "--json", one], capture_output=True, text=True)
            print(json.loads(done.stdout.splitlines()[-1])["result"])
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", script, CommandRun.program, files.path,
                BuiltProducts.testPluginDirectory("process"),
            ],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(60))
        #expect(
            run.output == """
                thread True True True True True True
                None 55 True
                process True True True True True True
                None 55 True
                fresh True True True True True True
                None 55 True
                none

                """, "\(run)")
    }

    @Test("run --trace writes what Chrome and Perfetto read; show --svg and usage draw")
    func pictures() throws {
        let store = files.path("store")
        func run(_ words: [String]) throws -> ChildProcess {
            try ChildProcess.run(
                CommandRun.program, words,
                environment: CommandRun.environment.merging(["HOME": files.path]) { $1 })
        }
        let file = files.path("task.json")
        let ran = try run([
            "run", "--trace", file, "--budget", "300ms", "--", "/bin/sh", "-c", "echo one; sleep 9",
        ])
        #expect(ran.ending == .exited(124), "\(ran)")
        let events = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
                as? [[String: Any]])
        func names(_ phase: String) -> [String] {
            events.filter { $0["ph"] as? String == phase }.compactMap { $0["name"] as? String }
        }
        #expect(names("X").sorted() == ["grace", "loading and queue", "run"])
        #expect(names("M") == ["process_name", "thread_name"])
        #expect(names("i").contains("one") && names("i").contains("told to stop"))
        let whole = try #require(events.first { $0["name"] as? String == "run" })
        #expect(try #require(whole["dur"] as? Double) >= 300_000)
        #expect((whole["args"] as? [String: Any])?["outcome"] as? String == "expired")
        let both = try run(["run", "--trace", "-", "--json", "--", "/bin/true"])
        #expect(both.ending == .exited(2), "\(both)")

        let hostile = "<script>&\u{202E}\"]]>"
        _ = try run(["submit", "--store", store, "--key", hostile, "--", "/bin/sh", "-c", "exit 3"])
        let served = try ChildProcess.run(
            "timeout", ["--preserve-status", "2s", CommandRun.program, "serve", "--store", store],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 })
        #expect(served.succeeded, "\(served)")
        let picture = try run(["show", "1", "--svg", "--store", store])
        #expect(picture.succeeded, "\(picture)")
        let read = try ChildProcess.run(
            "python3",
            [
                "-c",
                """
                import sys, xml.etree.ElementTree as tree
                all = list(tree.fromstring(sys.argv[1]).iter())
                print([e.tag.split("}")[1] for e in all].count("script"), len([e for e in all if e.get("class") == "bad"]))
                """, picture.output,
            ])
        #expect(read.output == "0 1\n", "\(read)")
        let two = try run(["show", "1", "--svg", "--json", "--store", store])
        #expect(two.ending == .exited(2), "\(two)")
        let week = try run(["usage", "--store", store])
        #expect(week.succeeded, "\(week)")
        #expect(week.output.split(separator: "\n").filter { $0.count == 56 }.count == 7, "\(week)")
    }
}
