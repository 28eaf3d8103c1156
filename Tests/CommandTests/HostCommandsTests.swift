// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew health`, `curfew reload` and `curfew drain`, with a host of `curfew serve`.
@Suite("Commands to a host")
struct HostCommandsTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python with a host that reads `curfew.json`. `run` calls the command, and returns its
    /// code and all that it printed; `write` replaces the configuration.
    ///
    /// - Parameter hasDisk: the store is on a small disk of its own, `disk`.
    private func serve(
        _ script: String, plugins: [String] = [], hasDisk: Bool = false
    ) throws -> String {
        let head = """
            import json, os, re, signal, socket, subprocess, sys, time
            program, store, place = sys.argv[1:4]
            disk = os.path.dirname(store)
            def write(*schedules):
                with open(place, "w") as file: json.dump({"schedules": list(schedules)}, file)
            def schedule(name, **more):
                return {"name": name, "command": ["/bin/true"], "every": "1h", **more}
            def run(*words):
                done = subprocess.run(
                    [program, words[0], "--store", store, *words[1:]], capture_output=True, text=True)
                return done.returncode, (done.stdout + done.stderr).replace(store, "STORE").strip()
            def call(method, target, body=None):
                words = ["curl", "-s", "--unix-socket", store + "/control.sock", "-X", method, "-w", "\\n%{http_code}", "http://x" + target]
                if body is not None: words += ["-H", "Content-Type: application/json", "--data-binary", json.dumps(body)]
                text, _, status = subprocess.run(words, capture_output=True, text=True).stdout.rpartition("\\n")
                return int(status), json.loads(text)
            def start():
                return subprocess.Popen(
                    [program, "serve", "--json", "--store", store, "--config", place, *sys.argv[4:]],
                    stdout=subprocess.PIPE, text=True, start_new_session=True)
            def until(event):
                for line in host.stdout:
                    line = json.loads(line)
                    if line["event"] == event: return line
            write(schedule("one"))
            host = start()
            until("serving")
            try:

            """
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        let tail = """

                host.send_signal(signal.SIGTERM)
                print("ended", host.wait(30))
            finally:
                if host.poll() is None:
                    os.killpg(host.pid, signal.SIGKILL)
            """
        let disk = files.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mount = [
            "-rm", "sh", "-c", "mount -t tmpfs -o size=3m none '\(disk)' && exec \"$@\"", "sh",
        ]
        let words = (hasDisk ? ["unshare"] + mount : []) + ["python3"]
        let run = try ChildProcess.run(
            words[0],
            words.dropFirst() + [
                "-c", head + body + tail, CommandRun.program,
                (hasDisk ? disk : files.path) + "/store", files.path("curfew.json"),
            ] + plugins.flatMap { ["--plugin", $0] },
            environment: CommandRun.environment.merging(
                ["HOME": files.path, "CURFEW_PLUGIN_PATH": files.path("none"), "TZ": "UTC"]
            ) { $1 },
            directory: files.path, limit: .seconds(60))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test(
        "reload: the schedules of the file count once the command ends, and a fault changes nothing"
    )
    func reload() throws {
        let output = try serve(
            """
            write(schedule("one"), schedule("two", every="2h"))
            print(run("reload"))
            print(run("schedules", "two")[0])
            write(schedule("two", every="2h"))
            code, answer = run("reload", "--json")
            answer = json.loads(answer)
            print(code, answer["removed"], answer["kept"], answer["needsStart"], answer["text"])
            with open(place, "w") as file: file.write('{"schedules": [{"name": "x"}]}')
            code, text = run("reload")
            print(code, "curfew.json:1:" in text, "nothing was changed" in text)
            print(run("schedules", "two")[0], run("health")[0])
            write(schedule("two", every="2h"))
            print(run("reload"), run("health")[0])
            with open(place, "w") as file: json.dump({"schedules": [], "store": "/elsewhere"}, file)
            print(run("reload"))
            os.remove(place)
            code, text = run("reload")
            print(code, "curfew.json" in text)
            """)
        #expect(
            output.split(separator: "\n") == [
                "(0, '2 schedules, 1 added (two)')", "0",
                "0 ['one'] 1 False 1 schedule, 1 removed (one)", "1 True True", "0 1",
                "(0, '1 schedule') 0",
                "(0, '0 schedules, 1 removed (two)\\nnote: `store` of the configuration is not as when the host was started; what changed of it counts once it is started again')",
                "1 True", "ended 0",
            ], "\(output)")
    }

    @Test("reload: thresholds count at once, also for handlers that have been launched")
    func thresholds() throws {
        let output = try serve(
            """
            calm = {"%s-pressure-%s" % (part, span): "100%" for part in ("processor", "memory", "disk") for span in ("10s", "60s")}
            def limit(**thresholds):
                thresholds = {**calm, **thresholds}
                with open(place, "w") as file: json.dump({"schedules": [], "thresholds": thresholds}, file)
                return run("reload")
            def holder(request):
                while True:
                    factors = json.loads(run("why", request, "--json")[1])["factors"]
                    held = [each["factor"] for each in factors if each["holds"]]
                    if held: return held
            print(limit(**{"day-launches": 0}))
            run("submit", "--when", "calm", "--", "/bin/true")
            print(holder("2"))
            print(limit(), run("wait", "2", "--timeout", "30s")[0])
            limit(**{"spacing": "1h"})
            run("submit", "--when", "calm", "--", "/bin/true")
            print(holder("3"))
            print(limit(spacing="1ms")[0], run("wait", "3", "--timeout", "30s")[0])
            limit(**{"pending-limit": 1})
            run("submit", "--after", "1h", "--", "/bin/true")
            code, text = call("POST", "/v1/requests", {"command": ["/bin/true"]})
            print(code, text["error"]["code"])
            print(limit(**{"place-limit": 0})[0], limit(**{"place-limit": 1}))
            run("cancel", "4")
            run("submit", "--", "/bin/sleep", "60")
            run("submit", "--", "/bin/true")
            print(holder("6"))
            print(limit(**{"place-limit": 2}), run("wait", "6", "--timeout", "30s")[0])
            run("cancel", "5")
            """)
        #expect(
            output.split(separator: "\n") == [
                "(0, '0 schedules, 1 removed (one); 7 thresholds changed (day-launches, disk-pressure-10s, disk-pressure-60s, memory-pressure-10s, memory-pressure-60s, …)')",
                "['day-budget']", "(0, '0 schedules; 1 threshold changed (day-launches)') 0",
                "['launch-rate']", "0 0", "429 tooMany",
                "1 (0, '0 schedules; 2 thresholds changed (pending-limit, place-limit)')",
                "['place']", "(0, '0 schedules; 1 threshold changed (place-limit)') 0", "ended 0",
            ], "\(output)")
    }

    @Test("why: a day's budget that its host has spent holds at once what waits for another day")
    func spentBudget() throws {
        let output = try serve(
            """
            host.send_signal(signal.SIGTERM)
            host.wait()
            calm = {"%s-pressure-%s" % (part, span): "100%" for part in ("processor", "memory", "disk") for span in ("10s", "60s")}
            with open(place, "w") as file: json.dump({"schedules": [], "thresholds": {**calm, "day-launches": 1}}, file)
            host = start()
            until("serving")
            run("submit", "--when", "calm", "--", "/bin/true")
            print(run("wait", "2", "--timeout", "20s")[0])
            run("submit", "--when", "calm", "--", "/bin/true")
            # Else it would be told a minute after the start.
            end = time.monotonic() + 20
            held = []
            while not held and time.monotonic() < end:
                held = [each["factor"] for each in json.loads(run("why", "3", "--json")[1])["factors"] if each["holds"]]
            print(held)
            """)
        #expect(output.split(separator: "\n") == ["0", "['day-budget']", "ended 0"], "\(output)")
    }

    @Test("reload: plugins that are new are loaded, and those that have changed are told of")
    func newPlugins() throws {
        let process = BuiltProducts.testPluginDirectory("process")
        let output = try serve(
            """
            import shutil
            plugins = os.path.join(disk, "plugins")
            mine = os.path.join(plugins, "mine")
            os.makedirs(plugins)
            def limits(**more):
                with open(place, "w") as file:
                    json.dump({"schedules": [], "plugins": {"directories": [plugins], **more}}, file)
            def reload():
                code, text = run("reload", "--json")
                answer = json.loads(text.splitlines()[0])
                return code, answer["plugins"], [note.replace(disk, "DISK") for note in answer["notes"]], answer["needsStart"]
            def say(**more):
                path = os.path.join(mine, "manifest.json")
                manifest = json.load(open(path))
                manifest.update(more)
                with open(path, "w") as file: json.dump(manifest, file)
            limits()
            print(reload())
            shutil.copytree("\(process)", mine)
            say(abi=99)
            code, loaded, notes, needs = reload()
            print(loaded, notes[0].split(": ")[0], run("health")[0])
            say(abi=0, version="1.0.1")
            print(reload(), run("health")[0])
            with open(place) as file: print(run("reload"))
            run("submit", "org.curfew.test.process.one", "--payload", "nothing")
            print(run("wait", "2", "--timeout", "30s")[0] in (0, 100))
            def states():
                return [(each["id"], each["status"]) for each in call("GET", "/v1/plugins")[1]["plugins"]]
            say(version="2.0.0")
            print(reload()[2])
            say(version="1.0.1", library=5)
            print(reload()[2], run("health")[0])
            say(library="libprocess.so", handlers=[])
            print(reload()[2], run("health")[0])
            shutil.copytree("\(process)", os.path.join(plugins, "b"))
            shutil.rmtree(mine)
            print(reload()[2])
            shutil.rmtree(os.path.join(plugins, "b"))
            print(reload()[2], states())
            broken = os.path.join(plugins, "broken")
            os.mkdir(broken)
            open(os.path.join(broken, "manifest.json"), "w").close()
            reload()
            print(run("health")[0], states()[1:])
            shutil.rmtree(broken)
            reload()
            print(run("health")[0], states()[1:])
            """)
        let lines = output.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "(0, [], [], False)", "[] DISK/plugins/mine is not loaded 1",
                "(0, ['org.curfew.test.process'], [], False) 0", "(0, '0 schedules')", "True",
                "['org.curfew.test.process is there in version 2.0.0; version 1.0.1 stays loaded until the host is started again']",
                "['the manifest of org.curfew.test.process has faults now: curfew lint DISK/plugins/mine; it stays loaded until the host is started again'] 0",
                "['the manifest of org.curfew.test.process has faults now: curfew lint DISK/plugins/mine; it stays loaded until the host is started again'] 0",
                "['org.curfew.test.process is there in version 1.0.0; version 1.0.1 stays loaded until the host is started again']",
                "['org.curfew.test.process is not found any more; it stays loaded until the host is started again'] [('org.curfew.test.process', 'ready')]",
                "1 [('', 'failed')]", "0 []", "ended 0",
            ], "\(output)")
    }

    @Test("reload: a new plugin is loaded as the configuration says that is read with it")
    func newPolicy() throws {
        let process = BuiltProducts.testPluginDirectory("process")
        let patient = BuiltProducts.testPluginDirectory("patient")
        let output = try serve(
            """
            import shutil
            plugins = os.path.join(disk, "plugins")
            os.makedirs(plugins)
            def limits(**more):
                with open(place, "w") as file:
                    json.dump({"schedules": [], "plugins": {"directories": [plugins], **more}}, file)
            def reload():
                code, text = run("reload", "--json")
                answer = json.loads(text.splitlines()[0])
                return answer["plugins"], [note.replace(disk, "DISK") for note in answer["notes"]]
            def states():
                return {each["id"].split(".")[-1]: (each["status"], each["isolation"]) for each in call("GET", "/v1/plugins")[1]["plugins"]}
            shutil.copytree("\(process)", os.path.join(plugins, "process"))
            limits()
            print(reload()[0])
            shutil.copytree("\(patient)", os.path.join(plugins, "patient"))
            limits(trust="require")
            print([note.split(": ")[0] for note in reload()[1]], states())
            limits(overrides={"org.curfew.test.patient": {"enabled": False}})
            print(reload(), states()["patient"][0])
            limits(overrides={"org.curfew.test.patient": {"isolation": "fresh", "limits": {"descriptors": 50}}})
            print(reload(), states()["patient"])
            found = [each["process"] for each in call("GET", "/v1/plugins")[1]["plugins"] if each["id"].endswith("patient")]
            print("Max open files            50 " in open("/proc/%d/limits" % found[0]).read())
            limits(overrides={"org.curfew.test.patient": {"isolation": "process"}})
            print(reload()[1])
            """)
        let waits = "are others than when it was loaded; they count once the host is started again"
        #expect(
            output.split(separator: "\n") == [
                "['org.curfew.test.process']",
                "['the settings of org.curfew.test.process \(waits)', 'DISK/plugins/patient is not loaded'] {'process': ('ready', 'process'), 'patient': ('failed', None)}",
                "([], []) failed", "(['org.curfew.test.patient'], []) ('ready', 'fresh')", "True",
                "['the settings of org.curfew.test.patient \(waits)']", "ended 0",
            ], "\(output)")
    }

    @Test("a host that loads plugins which hang hears signals, and does its work")
    func hanging() throws {
        let stuck = BuiltProducts.testPluginDirectory("stuck")
        let output = try serve(
            """
            import shutil
            plugins = os.path.join(disk, "plugins")
            os.makedirs(plugins)
            shutil.copytree("\(stuck)", os.path.join(plugins, "stuck"))
            with open(place, "w") as file:
                json.dump({"schedules": [], "plugins": {"directories": [plugins]}}, file)
            reload = subprocess.Popen([program, "reload", "--store", store], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            while until("planned")["removed"] != ["one"]: pass
            run("submit", "--", "/bin/true")
            print(run("wait", "2", "--timeout", "9s")[0])
            later = subprocess.Popen([program, "reload", "--store", store], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            began = time.monotonic()
            host.send_signal(signal.SIGTERM)
            until("stopping")
            print(time.monotonic() - began < 5, host.wait(30))
            print("DISK/plugins/stuck is not loaded" in reload.communicate()[0].replace(disk, "DISK"), reload.returncode)
            print(later.communicate()[0].splitlines()[0].replace(store, "STORE"), later.returncode)
            with open(place, "w") as file: json.dump({"schedules": []}, file)
            host = start()
            until("serving")
            """)
        #expect(
            output.split(separator: "\n") == [
                "0", "True 0", "True 0", "error: the host ends 125", "ended 0",
            ], "\(output)")
    }

    @Test("an override limits the processes of its plugin alone")
    func ownLimits() throws {
        let output = try serve(
            """
            with open(place, "w") as file:
                json.dump({"schedules": [], "plugins": {
                    "limits": {"descriptors": 100, "fileSize": "1GB"},
                    "overrides": {"org.curfew.test.process": {"limits": {"descriptors": 77, "memory": "200MB"}}}}}, file)
            host.send_signal(signal.SIGTERM)
            host.wait()
            host = start()
            until("serving")
            for plugin in sorted(call("GET", "/v1/plugins")[1]["plugins"], key=lambda each: each["id"]):
                limits = open("/proc/%d/limits" % plugin["process"]).read()
                found = re.findall("Max (open files|data size|file size) +([0-9]+)", limits)
                print(plugin["id"], dict(found)["open files"], dict(found)["file size"], dict(found).get("data size"))
            """,
            plugins: [
                BuiltProducts.testPluginDirectory("process"),
                BuiltProducts.testPluginDirectory("patient"),
            ])
        #expect(
            output.split(separator: "\n") == [
                "org.curfew.test.patient 100 1000000000 1073741824",
                "org.curfew.test.process 77 1000000000 200000000", "ended 0",
            ], "\(output)")
    }

    @Test("factors are listed, set by hand for a time, and left to their sources again")
    func factors() throws {
        let output = try serve(
            """
            def rows(*words):
                code, text = run("factors", "--json", *words)
                return {each["name"]: each for each in json.loads(text)["factors"]} if code == 0 else (code, text)
            def holder(request):
                while True:
                    factors = json.loads(run("why", request, "--json")[1])["factors"]
                    held = [(each["factor"], each["detail"]) for each in factors if each["holds"]]
                    if held: return held
            set = rows("network=no", "external-power=no")
            print(set["network"]["state"], set["network"]["source"], set["network"]["detail"])
            run("submit", "--needs", "network", "--", "/bin/true")
            print(holder("2"))
            print(rows("network=yes")["network"]["state"], run("wait", "2", "--timeout", "30s")[0])
            print(rows("network=auto")["network"]["source"] != "by hand")
            run("submit", "--needs", "external-power", "--", "/bin/true")
            print(rows("external-power=no", "--for", "300ms")["external-power"]["detail"][:19])
            print(run("wait", "3", "--timeout", "30s")[0])
            code, text = run("factors")
            print(code, text.splitlines()[0].split())
            run("settings", "enablement=suspended")
            code, text = run("health")
            print(code, "curfew settings enablement=enabled" in text)
            for words in (["thermal=hot"], ["cold=no"], ["idle=no", "idle=yes"], ["--for", "1s"], ["idle=no", "--for", "1"]):
                code, text = run("factors", *words)
                print(code, text.splitlines()[0])
            """)
        #expect(
            output.split(separator: "\n") == [
                "no by hand set by hand", "[('network', 'set by hand')]", "yes 0", "True",
                "set by hand, until ", "0", "0 ['FACTOR', 'STATE', 'SINCE', 'WHY']", "0 True",
                "2 error: `thermal=hot` says no state", "2 error: the machine has no factor `cold`",
                "2 error: `idle` is set twice", "2 error: `--for` needs a factor that is set",
                "2 error: `1` is not a span of time", "ended 0",
            ], "\(output)")
    }

    @Test("drain: nothing is launched until it ends, what runs goes on, and why says so")
    func drain() throws {
        let output = try serve(
            """
            print(run("drain", "--end"))
            stop = os.path.join(os.path.dirname(store), "stop")
            run("submit", "--", "/bin/sh", "-c", "until test -e %s; do sleep 0.02; done" % stop)
            while '"phase":"running"' not in run("drain", "--json")[1]: pass
            print(run("drain"))
            print(run("drain", "--timeout", "10ms")[0])
            run("submit", "--", "/bin/true")
            code, why = run("why", "3", "--json")
            held = [each for each in json.loads(why)["factors"] if each["holds"]]
            print([each["factor"] for each in held], held[0]["change"])
            print("as soon as the host is not drained any more" in run("why", "3")[1])
            print(json.loads(run("health", "--json")[1])["status"], run("health")[0])
            print(json.loads(run("show", "3", "--json")[1])["state"])
            open(stop, "w").close()
            print(run("drain", "--timeout", "1min"))
            print(json.loads(run("show", "2", "--json")[1])["outcome"])
            print(run("drain", "--end"))
            print(run("wait", "3", "--timeout", "30s")[0])
            print(run("drain", "--timeout", "2h")[0], run("drain", "--end", "--timeout", "1s")[0])
            """)
        #expect(
            output.split(separator: "\n") == [
                "(0, 'requests are launched again')",
                "(0, 'nothing is launched; 1 task runs\\n  request 2  org.curfew.command')", "7",
                "['host'] type `curfew drain --end`", "True", "drained 0", "pending",
                "(0, 'nothing is launched; no task runs')", "succeeded",
                "(0, 'requests are launched again')", "0", "2 2", "ended 0",
            ], "\(output)")
    }

    @Test("ps: on a terminal a running task has how far it is")
    func progress() throws {
        let output = try serve(
            """
            import fcntl, pty, struct, termios
            def screen(*words):
                reader, terminal = pty.openpty()
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
                subprocess.run([program, *words, "--store", store], stdout=terminal, stderr=terminal)
                os.close(terminal)
                text = b""
                try:
                    while part := os.read(reader, 65536): text += part
                except OSError: pass
                os.close(reader)
                return re.sub(r"\\x1b\\[[0-9;]*m", "", text.decode())
            stop = os.path.join(os.path.dirname(store), "stop")
            run("submit", "--", "/bin/sh", "-c", "echo 'curfew: progress 40%% half'; until test -e %s; do sleep 0.02; done" % stop)
            end = time.monotonic() + 30
            while "running 40 %" not in screen("ps") and time.monotonic() < end: pass
            print("running 40 %" in screen("ps"), "40 %" in run("ps")[1])
            print(json.loads(run("drain", "--json")[1])["tasks"][0]["progress"])
            open(stop, "w").close()
            """)
        #expect(output == "True False\n0.4\nended 0\n", "\(output)")
    }

    @Test("drain: a host that ends takes its drain with it")
    func drainOnce() throws {
        let output = try serve(
            """
            print(run("drain")[0])
            run("submit", "--", "/bin/true")
            host.send_signal(signal.SIGTERM)
            print(host.wait(30))
            host = start()
            until("serving")
            print(run("wait", "2", "--timeout", "30s")[0])
            """)
        #expect(output == "0\n0\n0\nended 0\n", "\(output)")
    }

    @Test(
        "a full disk: health says so, and a drain begins and ends all the same",
        .enabled(if: (try? ChildProcess.run("unshare", ["-rm", "true"]))?.succeeded ?? false))
    func fullDisk() throws {
        let output = try serve(
            """
            fill = os.path.join(disk, "fill")
            with open(fill, "wb", buffering=0) as file:
                try:
                    while True: file.write(bytes(4096))
                except OSError: pass
            code, text = run("health")
            print(code, "its disk is full" in text)
            print(run("submit", "--", "/bin/true")[0])
            print(run("drain"))
            code, text = run("health")
            print(code, "its disk is full" in text, "it is drained" in text)
            print(run("drain", "--end"))
            write(schedule("one"), schedule("two"))
            code, text = run("reload")
            print(code, "its disk is full" in text, "curfew reload --store STORE" in text)
            run("drain")
            os.remove(fill)
            for line in host.stdout:
                line = json.loads(line)
                if line.get("text", "").startswith("the store works again"): break
            print(line["text"])
            code, text = run("health")
            print(code, "it is drained" in text, "its disk is full" in text)
            print(run("reload"), run("health")[0])
            """, hasDisk: true)
        #expect(
            output.split(separator: "\n") == [
                "1 True", "6", "(0, 'nothing is launched; no task runs')", "1 True True",
                "(0, 'requests are launched again')", "6 True True", "the store works again",
                "1 True True", "(0, '2 schedules, 1 added (two)') 0", "ended 0",
            ], "\(output)")
    }

    @Test("while a host ends, the commands say so")
    func ending() throws {
        let output = try serve(
            """
            stop = os.path.join(os.path.dirname(store), "stop")
            begun = stop + ".begun"
            run("submit", "--grace", "1min", "--", "/bin/sh", "-c",
                "trap '' TERM; : >%s; until test -e %s; do sleep 0.02; done" % (begun, stop))
            while not os.path.exists(begun): pass
            waiting = subprocess.Popen(
                [program, "drain", "--store", store, "--timeout", "1min"], stderr=subprocess.PIPE, text=True)
            while run("health")[0] != 0: pass
            host.send_signal(signal.SIGTERM)
            print("the host ends" in waiting.communicate()[1], waiting.returncode)
            for command in ("health", "drain", "reload"):
                code, text = run(command)
                print(code, "the host ends" in text and "stays in the store" in text)
            open(stop, "w").close()
            print(host.wait(60), run("health")[0])
            host = start()
            until("serving")
            """)
        #expect(
            output.split(separator: "\n") == [
                "True 125", "125 True", "125 True", "125 True", "0 4", "ended 0",
            ], "\(output)")
    }

    @Test("a second signal leaves tasks a second, and a third one nothing")
    func haste() throws {
        let output = try serve(
            """
            def begin():
                begun = os.path.join(os.path.dirname(store), "begun")
                if os.path.exists(begun): os.remove(begun)
                request = json.loads(run("submit", "--json", "--grace", "1min", "--", "/bin/sh", "-c",
                    "trap '' TERM; : >%s; while :; do sleep 0.02; done" % begun)[1])["request"]
                while not os.path.exists(begun): pass
                return str(request["id"] if isinstance(request, dict) else request)
            def told(request):
                entries = json.loads(run("show", request, "--json")[1])
                return entries["state"], entries["attempts"]
            def again():
                # Signals that come together, as from timeout(1), are one.
                seen = time.monotonic()
                while time.monotonic() < seen + 0.25: pass
                host.send_signal(signal.SIGTERM)
            def stop(count):
                began = time.monotonic()
                host.send_signal(signal.SIGTERM)
                until("stopping")
                again()
                while "another signal" not in until("log")["text"]: pass
                if count == 3: again()
                return host.wait(30), time.monotonic() - began
            first = begin()
            code, took = stop(2)
            print(code, 1 <= took < 15, told(first))
            run("cancel", first)
            host = start()
            until("serving")
            second = begin()
            code, took = stop(3)
            print(code, took < 15, told(second)[0])
            run("cancel", second)
            host = start()
            until("serving")
            """)
        #expect(
            output.split(separator: "\n") == [
                "0 True ('pending', 0)", "-15 True host-gone", "ended 0",
            ], "\(output)")
    }

    @Test("health: a plugin that is refused and one that is quarantined are work that waits")
    func health() throws {
        let patient = BuiltProducts.testPluginDirectory("patient")
        let refused = files.path("refused")
        try FileManager.default.createDirectory(atPath: refused, withIntermediateDirectories: false)
        try files.write("{", to: "refused/manifest.json")
        let output = try serve(
            """
            code, text = run("health")
            print(code)
            print(re.sub(" +", " ", text).split("\\n")[:2])
            print("refused" in text, "help: curfew lint" in text)
            run("quarantine", "\(patient)")
            end = time.monotonic() + 30
            while "quarantined" not in text and time.monotonic() < end: text = run("health")[1]
            print("help: curfew release org.curfew.test.patient --store STORE" in text)
            """, plugins: [refused, patient])
        #expect(
            output.split(separator: "\n") == [
                "1",
                "['ok store it works', 'ok launches requests are launched; 0 tasks run']",
                "True True", "True", "ended 0",
            ], "\(output)")
    }

    @Test("without a host, and beside one that does not answer, the commands say so")
    func nobody() throws {
        let output = try serve(
            """
            host.send_signal(signal.SIGSTOP)
            begun = time.monotonic()
            code, text = run("health")
            print(code, "does not answer" in text, time.monotonic() - begun < 30)
            host.send_signal(signal.SIGCONT)
            os.remove(store + "/control.sock")
            code, text = run("drain")
            print(code, "has no control socket: process %d" % host.pid in text)
            false = socket.socket(socket.AF_UNIX)
            false.bind(store + "/control.sock")
            false.listen()
            asked = subprocess.Popen([program, "health", "--store", store], stderr=subprocess.PIPE, text=True)
            client = false.accept()[0]
            client.recv(4096)
            client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\n{}")
            client.close()
            print("no answer of a host" in asked.communicate()[1], asked.returncode)
            asked = subprocess.Popen([program, "reload", "--store", store], stderr=subprocess.PIPE, text=True)
            client = false.accept()[0]
            client.recv(4096)
            client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
            client.close()
            print("no answer of a host" in asked.communicate()[1], asked.returncode)
            false.close()
            os.remove(store + "/control.sock")
            full = socket.socket(socket.AF_UNIX)
            full.bind(store + "/control.sock")
            full.listen(0)
            kept = []
            while True:
                kept.append(socket.socket(socket.AF_UNIX))
                kept[-1].setblocking(False)
                try: kept[-1].connect(store + "/control.sock")
                except BlockingIOError: break
            code, text = run("health")
            print(code, "does not answer" in text)
            full.close()
            os.killpg(host.pid, signal.SIGKILL)
            host.wait()
            for command in ("health", "reload", "drain"):
                code, text = run(command)
                print(code, "no host uses the store at STORE" in text, "curfew serve --store STORE" in text)
            store += "2"
            print(run("health")[0], os.path.exists(store))
            store = store[:-1]
            host = start()
            until("serving")
            """)
        #expect(
            output.split(separator: "\n") == [
                "7 True True", "4 True", "True 125", "True 125", "7 True", "4 True True",
                "4 True True",
                "4 True True",
                "4 False", "ended 0",
            ], "\(output)")
    }
}
