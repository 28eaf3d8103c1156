// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The plugin `process` does what its payload says; its host is `curfew serve`.
@Suite("Quarantine: by content, in the store")
struct QuarantineTests {
    private let desk: RequestDesk

    /// What every script begins with: `serve()` starts a host and waits until it serves; `wait` reads
    /// its lines until one fits.
    private static let head = """
        import time
        plugins = os.path.join(os.path.dirname(store), "plugins")
        one = "org.curfew.test.process.one"
        id = "org.curfew.test.process"
        class Host:
            def __init__(self, *words):
                self.process = subprocess.Popen(
                    [program, "serve", "--json", "--store", store, "--plugins", plugins, *words],
                    stdout=subprocess.PIPE, text=True)
                self.lines = []
            def wait(self, fits):
                for line in self.process.stdout:
                    event = json.loads(line)
                    self.lines.append(event)
                    if fits(event):
                        return event
                sys.exit("the host ended: %s" % self.lines)
            def serving(self):
                return self.wait(lambda e: e["event"] == "serving")
            def ended(self):
                return self.wait(lambda e: e["event"] == "ended" and e["request"])
            def stop(self):
                self.process.terminate()
                assert self.process.wait() == 0
        def submit(payload, identifier=one):
            code, out, errors = run("submit", identifier, "--payload", payload, "--json")
            assert code == 0, errors
            return json.loads(out)["id"]
        def quarantined():
            code, out, errors = run("quarantine", "--json")
            assert code == 0, errors
            return [json.loads(line) for line in out.splitlines()]
        def until(what):
            while not what():
                time.sleep(0.02)
        def why():
            return run("why", one)[1]

        """

    init() throws {
        desk = try RequestDesk()
        let directory = desk.files.path("plugins")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("process"), toPath: directory + "/process")
    }

    private func check(_ script: String) throws {
        let run = try desk.python(Self.head + script)
        #expect(run.succeeded, "\(run)")
    }

    @Test("a build whose process ends while it is loaded, in three hosts, is loaded by no other")
    func failedLoads() throws {
        let directory = desk.files.path("plugins")
        try FileManager.default.removeItem(atPath: directory + "/process")
        try FileManager.default.createDirectory(
            atPath: directory + "/broken", withIntermediateDirectories: true)
        _ = try desk.files.write(
            #"{"id": "org.example.broken", "version": "1.0.0", "abi": 0, "library": "libbroken.so", "handlers": [{"identifier": "org.example.broken.task", "kind": "processing"}]}"#,
            to: "plugins/broken/manifest.json")
        _ = try desk.files.write(
            """
            #include <curfew/plugin.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            CURFEW_PLUGIN_NOTE();
            static curfew_status run(void *data, const curfew_host_api *api, curfew_task task, curfew_error *error) {
                return CURFEW_OK;
            }
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                FILE *file = fopen("LOADS", "a");
                fputs("x", file);
                fclose(file);
                if (access("MENDED", F_OK) != 0) abort();
                const curfew_handler handler = {.struct_size = sizeof handler, .identifier = "org.example.broken.task", .run = run};
                return api->register_handler(api, &handler, error);
            }
            """.replacing("LOADS", with: desk.files.path("loads"))
                .replacing("MENDED", with: desk.files.path("mended")),
            to: "broken.c")
        let compiled = try ChildProcess.run(
            "cc",
            [
                "-shared", "-fPIC", "-I", BuiltProducts.packageRoot + "/include", "-o",
                directory + "/broken/libbroken.so", desk.files.path("broken.c"),
            ])
        #expect(compiled.succeeded, "\(compiled)")
        try check(
            """
            place = os.path.dirname(store)
            def loads(): return len(open(os.path.join(place, "loads")).read())
            def refused():
                host = Host()
                error = host.wait(lambda e: e["event"] == "refused")["error"]
                host.stop()
                return error
            first, second, third, fourth = [refused() for _ in range(4)]
            assert "SIGABRT" in first and "while it loaded" in first and "quarantine" not in first, first
            assert second == first, second
            assert "for the third time within 10 min" in third and "curfew release org.example.broken" in third, third
            assert "is quarantined, and nothing of it is run" in fourth, fourth
            assert loads() == 3, loads()
            found = quarantined()
            assert len(found) == 1 and found[0]["plugin"] == "org.example.broken" and "SIGABRT" in found[0]["reason"], found
            # Released, and mended by what was around it: a running host loads it.
            open(os.path.join(place, "mended"), "w").close()
            host = Host()
            host.serving()
            assert run("release", "org.example.broken")[0] == 0
            host.wait(lambda e: e["event"] == "log" and "is loaded" in e["text"])
            host.stop()
            assert quarantined() == [] and loads() == 4, (quarantined(), loads())
            """)
    }

    @Test("three ends in a row are kept for later hosts, which wait for a release or another build")
    func kept() throws {
        try check(
            """
            host = Host()
            host.serving()
            for _ in range(3):
                submit("crash")
                assert not host.ended()["succeeded"]
            until(quarantined)
            [entry] = quarantined()
            assert entry["plugin"] == id and entry["by"] == "host", entry
            assert "SIGSEGV" in entry["reason"] and "third time in a row" in entry["reason"], entry
            until(lambda: "curfew release " + id in why())
            assert "SIGSEGV" in why(), why()
            host.stop()

            # The next host does not run it, and says so; a request waits.
            host = Host()
            host.serving()
            refused = host.wait(lambda e: e["event"] == "refused")
            assert "quarantined" in refused["error"], refused
            request = submit("")
            until(lambda: "plugin " + id + " is quarantined: " in why())
            assert "SIGSEGV" in why() and "curfew release " + id in why(), why()

            # Of a plugin that only the host finds, the host has told.
            code, out, errors = run("submit", one, "--dry-run")
            assert code == 0 and "is quarantined" in errors and id in errors, errors
            # Its release reaches the running host.
            code, out, errors = run("release", id)
            assert code == 0 and id in out and "released" in out, (out, errors)
            assert quarantined() == []
            event = host.ended()
            assert event["succeeded"] and event["request"] == request, event
            host.stop()
            assert run("release", id)[0] == 4
            """)
    }

    @Test("another build of a quarantined plugin is run, and the old one is not")
    func builds() throws {
        try check(
            """
            manifest = os.path.join(plugins, "process", "manifest.json")
            text = open(manifest).read()
            code, out, errors = run("submit", one, "--json")
            assert code == 0, errors
            code, out, errors = run("quarantine", os.path.join(plugins, "process"), "--reason", "it is bad")
            assert code == 0 and "it is bad" in out, errors
            [entry] = quarantined()
            assert entry["by"] == "person" and entry["reason"] == "it is bad", entry
            # Without a host the store says so.
            offline = run("why", one, "--plugins", plugins)[1]
            assert "is quarantined: it is bad" in offline, offline
            for more in [], ["--json"], ["--dry-run"], ["--dry-run", "--json"]:
                code, out, errors = run("submit", one, "--plugins", plugins, *more)
                assert code == 0 and "is quarantined, because it is bad" in errors, (more, errors)
            hash = subprocess.run(
                "{ sha256sum < manifest.json; sha256sum < libprocess.so; } | cut -c -64 | tr -d '\\n' | sha256sum",
                shell=True, capture_output=True, text=True, cwd=os.path.dirname(manifest)).stdout[:64]
            assert entry["hash"] == hash, (entry, hash)

            host = Host("--isolation", "thread")
            host.serving()
            host.wait(lambda e: e["event"] == "refused")
            host.stop()

            open(manifest, "w").write(text.replace("1.0.0", "1.0.1"))
            host = Host()
            host.serving()
            assert not [e for e in host.lines if e["event"] == "refused"], host.lines
            assert host.ended()["succeeded"]
            host.stop()
            """)
    }

    @Test(
        "quarantined by hand, a plugin of a running host begins nothing, and its tasks are interrupted",
        arguments: ["process", "thread"])
    func byHand(isolation: String) throws {
        try check(
            """
            host = Host("--isolation", "\(isolation)")
            host.serving()
            gate = os.path.join(os.path.dirname(store), "gate")
            first = submit("wait " + gate)
            until(lambda: os.path.exists(gate + ".begun"))
            code, out, errors = run("quarantine", id, "--plugins", plugins, "--reason", "too loud")
            assert code == 0, errors
            second = submit("")
            until(lambda: "is quarantined: too loud" in why())
            if "\(isolation)" == "process":
                event = host.ended()
                assert not event["succeeded"] and event["request"] == first, event
                shown = json.loads(run("show", str(first), "--json")[1])
                assert shown["state"] == "pending" and shown["attempts"] == 0, shown
            open(gate, "w").close()
            if "\(isolation)" == "thread":
                event = host.ended()
                assert event["succeeded"] and event["request"] == first, event
            assert run("release", id)[0] == 0
            done = {first, second} if "\(isolation)" == "process" else {second}
            while done:
                event = host.ended()
                assert event["succeeded"], event
                done.remove(event["request"])
            host.stop()
            """)
    }

    @Test(
        "where several tasks may have ended the process none uses its attempt, and the one that does it alone is known"
    )
    func suspects() throws {
        try check(
            """
            host = Host()
            host.serving()
            many = "org.curfew.test.process.many"
            gate = os.path.join(os.path.dirname(store), "gate")
            innocent = submit("wait " + gate, many)
            until(lambda: os.path.exists(gate + ".begun"))
            culprit = submit("signal 9", many)
            for _ in range(2):
                event = host.ended()
                assert not event["succeeded"] and "which of its 2 tasks did it is not known" in event["error"], event
            open(gate, "w").close()
            def request(number):
                return json.loads(run("show", str(number), "--json")[1])
            until(lambda: all(request(n)["state"] == "finished" for n in (innocent, culprit)))
            assert request(innocent)["outcome"] == "succeeded", request(innocent)
            found = request(culprit)
            assert found["outcome"] == "crashed" and found["launches"] == 2, found
            host.stop()
            """)
    }

    @Test("a process that ends with its supervisor costs its requests no attempt")
    func lost() throws {
        try check(
            """
            host = Host()
            host.serving()
            gate = os.path.join(os.path.dirname(store), "gate")
            first = submit("wait " + gate)
            until(lambda: os.path.exists(gate + ".begun"))
            children = open("/proc/%d/task/%d/children" % (host.process.pid, host.process.pid))
            names = {open("/proc/%s/comm" % id).read().strip(): int(id) for id in children.read().split()}
            os.kill(names["curfew-spawner"], signal.SIGKILL)
            event = host.ended()
            assert not event["succeeded"] and event["request"] == first, event
            # It has one attempt, and it is launched again.
            open(gate, "w").close()
            event = host.ended()
            assert event["succeeded"] and event["request"] == first, event
            host.stop()
            """)
    }

    @Test("a plugin without code is quarantined by its manifest")
    func programs() throws {
        _ = try desk.files.write(
            """
            {"id": "org.example.tidy-plugin", "version": "1.0.0", "abi": 0,
             "handlers": [{"identifier": "org.example.tidy", "kind": "processing", "form": "command",
                           "command": {"argv": ["/bin/true"]}}]}
            """, to: "plugins/tidy/manifest.json")
        try check(
            """
            code, out, errors = run("submit", "org.example.tidy", "--json")
            assert code == 0, errors
            code, out, errors = run("quarantine", os.path.join(plugins, "tidy"))
            assert code == 0, errors
            host = Host()
            host.serving()
            host.wait(lambda e: e["event"] == "refused")
            code, out, errors = run("release", "org.example.tidy-plugin")
            assert code == 0, errors
            assert host.ended()["succeeded"]
            host.stop()
            """)
    }

    @Test("the list and its errors are for people as well")
    func screens() throws {
        #expect(try desk.run("quarantine").code == 4)
        try desk.submit("org.example.tidy")
        #expect(try desk.run("quarantine").output == "nothing is quarantined\n")
        let hash = String(repeating: "0123456789abcdef", count: 4)
        #expect(try desk.run("quarantine", hash, "--reason", "a\tb\nc").code == 0)
        let list = try desk.run("quarantine")
        #expect(
            list.output.hasPrefix("unknown plugin  quarantined by hand ")
                && list.output.hasSuffix("\n  a b c\n  \(hash)\n"), "\(list.output)")
        let wrong = try desk.run("quarantine", "org.example.nothing")
        #expect(wrong.code == 127 && wrong.errors.contains("there is no plugin"))
        #expect(try desk.run("quarantine", "--reason", "x").code == 2)
        #expect(try desk.run("release", hash, "1").code == 2)
        let nonsense = try desk.run("release", "nonsense")
        #expect(
            nonsense.code == 2
                && nonsense.errors.contains(
                    "neither the number of a request nor the id or the hash of a plugin"),
            "\(nonsense.process)")
        let released = try desk.run("release", hash)
        #expect(
            released.output.contains("released") && released.errors.contains("curfew serve"),
            "\(released.process)")
        #expect(try desk.run("release", hash).code == 4)
    }
}
