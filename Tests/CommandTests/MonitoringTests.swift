// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The files for Prometheus and Grafana, with a real Prometheus that scrapes a real host.
@Suite(
    "Monitoring by Prometheus",
    .enabled(if: (try? ChildProcess.run("prometheus", ["--version"]).succeeded) ?? false))
struct MonitoringTests {
    private static let files = BuiltProducts.packageRoot + "/Documentation/monitoring"

    @Test("the rules are rules, and alert of what is wrong alone, over simulated hours")
    func rules() throws {
        for arguments in [
            ["check", "rules", Self.files + "/curfew-alerts.yml"],
            ["check", "config", Self.files + "/prometheus.yml"],
            ["test", "rules", BuiltProducts.packageRoot + "/Tests/Monitoring/alerts.yml"],
        ] {
            let run = try ChildProcess.run("promtool", arguments)
            #expect(run.succeeded, "\(run)")
        }
    }

    @Test("Prometheus reads a host, evaluates every rule, and has what each panel draws")
    func scraped() throws {
        let files = try TemporaryDirectory()
        let script = """
            import json, os, signal, socket, subprocess, sys, time, urllib.parse, urllib.request
            program, place, monitoring = sys.argv[1:4]
            def free():
                with socket.socket() as listener:
                    listener.bind(("127.0.0.1", 0))
                    return listener.getsockname()[1]
            port, own = free(), free()
            store = place + "/store"
            with open(place + "/curfew.json", "w") as out:
                json.dump({"store": store, "apps": {"enabled": False}, "web": {"listen": "127.0.0.1:%d" % port, "metrics": True},
                           "traces": {"endpoint": "http://127.0.0.1:9/v1/traces"},
                           "schedules": [{"name": "tick", "command": ["/bin/true"], "every": "1s"},
                                         {"name": "fails", "command": ["/bin/false"], "every": "1s"}]}, out)
            with open(place + "/prometheus.yml", "w") as out:
                json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                           "scrape_configs": [{"job_name": "curfew", "static_configs": [{"targets": ["127.0.0.1:%d" % port]}]}],
                           "rule_files": [monitoring + "/curfew-alerts.yml"]}, out)
            host = subprocess.Popen([program, "serve", "--config", place + "/curfew.json"], stdout=subprocess.DEVNULL)
            log = open(place + "/prometheus.log", "w")
            prometheus = subprocess.Popen(
                ["prometheus", "--enable-feature=exemplar-storage", "--config.file=" + place + "/prometheus.yml", "--storage.tsdb.path=" + place + "/data",
                 "--web.listen-address=127.0.0.1:%d" % own], stdout=log, stderr=log)
            def ask(path, **query):
                url = "http://127.0.0.1:%d/api/v1/%s?%s" % (own, path, urllib.parse.urlencode(query))
                with urllib.request.urlopen(url, timeout=10) as answer:
                    return json.load(answer)["data"]
            def value(query):
                result = ask("query", query=query)["result"]
                return float(result[0]["value"][1]) if result else None
            def until(what, text):
                end = time.monotonic() + 60
                while time.monotonic() < end:
                    try:
                        if what(): return
                    except OSError: pass
                    time.sleep(0.1)
                sys.exit("not within 60 s: " + text)
            try:
                until(lambda: value('up{job="curfew"}') == 1, "up")
                until(lambda: (value('curfew_launches_total{outcome="succeeded"}') or 0) >= 3, "successes")
                until(lambda: (value('curfew_launches_total{outcome="failed"}') or 0) >= 3, "failures")
                print(value("curfew_build_info"), value('sum(curfew_requests{state=~"pending|running"})'), value("curfew_drained"))
                until(lambda: (value('rate(curfew_launches_total{outcome="failed"}[1m])') or 0) > 0, "a rate")
                print(value("curfew_launches_missed_total"))
                def exemplars():
                    found = ask("query_exemplars", query="curfew_run_duration_seconds_bucket", start=time.time() - 60, end=time.time() + 60)
                    return [e for series in found for e in series["exemplars"]]
                until(exemplars, "exemplars")
                def type(accept):
                    call = urllib.request.Request("http://127.0.0.1:%d/metrics" % port, headers={"Accept": accept})
                    with urllib.request.urlopen(call, timeout=10) as answer: return answer.headers["Content-Type"].split(";")[0]
                new, old = "application/openmetrics-text; version=1.0.0", "text/plain"
                print({type(a) for a in (new, new + ", */*;q=0.1", new + ";q=0.5, text/*;q=0.3", "*/*;q=0.1," + new + ";q=0.1")})
                print({type(a) for a in (old, "*/*", new + ";q=0", new + ";q=0.5," + old, new + ";q=0.2, text/*;q=0.3")})
                one = exemplars()[0]
                print(list(one["labels"]), len(one["labels"]["trace_id"]), 0 <= float(one["value"]) < 60)
                def evaluated(): return all(r["health"] == "ok" for g in ask("rules")["groups"] for r in g["rules"])
                until(evaluated, "rules")
                print(len(ask("rules")["groups"][0]["rules"]))
                subprocess.run([program, "drain", "--store", store], check=True, stdout=subprocess.DEVNULL)
                until(lambda: value('ALERTS{alertname="CurfewDrained",alertstate="pending"}') == 1, "an alert")

                with open(monitoring + "/curfew-dashboard.json") as given: panels = json.load(given)["panels"]
                empty = []
                for panel in panels:
                    for target in panel["targets"]:
                        query = target["expr"].replace("$instance", ".*").replace("$task", ".*").replace("$__rate_interval", "1m")
                        if not ask("query", query=query)["result"]: empty.append(panel["title"])
                print(len(panels) > 10, empty)
            finally:
                for process in (prometheus, host):
                    process.send_signal(signal.SIGTERM)
                    process.wait(30)
            """
        let run = try ChildProcess.run(
            "python3", ["-c", script, CommandRun.program, files.path, Self.files],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(150))
        #expect(
            run.output == """
                1.0 2.0 0.0
                0.0
                {'application/openmetrics-text'}
                {'text/plain'}
                ['trace_id'] 32 True
                12
                True ["Ends of plugins' processes"]

                """, "\(run)")
    }
}
