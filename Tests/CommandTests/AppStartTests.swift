// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Apps that `curfew serve` starts, and `curfew apps`.
@Suite("Apps that do not run")
struct AppStartTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script with a home of its own, the app `app` with its scenarios, and a host of the usual store.
    private func run(_ script: String) throws -> String {
        let list: [String: Any] = [
            "CFBundleIdentifier": "org.example.app", "UIBackgroundModes": ["fetch"],
            "BGTaskSchedulerPermittedIdentifiers": ["org.example.app.refresh"],
        ]
        try files.write(
            Array(
                try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            ),
            to: "Info.plist")
        let head = """
            import json, os, re, signal, subprocess, sys, time
            program, app, home = sys.argv[1:4]
            state, config = home + "/state", home + "/config/curfew"
            os.environ.update(HOME=home, XDG_STATE_HOME=state, XDG_CONFIG_HOME=home + "/config",
                CURFEW_INFO_PLIST=home + "/Info.plist", CURFEW_PLUGIN_PATH=home + "/none")
            os.environ.pop("CURFEW_STORE", None)
            os.makedirs(state, 0o700)
            os.makedirs(config, 0o700)
            def write(**more):
                with open(config + "/curfew.json", "w") as file:
                    json.dump({"factors": {"source": "none"}, **more}, file)
            write()
            def curfew(*words):
                done = subprocess.run([program, *words], capture_output=True, text=True)
                return (done.stdout + done.stderr).strip()
            def scenario(name):
                done = subprocess.run([app, name], capture_output=True, text=True)
                assert done.returncode == 0, done
            def start():
                global host
                host = subprocess.Popen([program, "serve", "--json"], stdout=subprocess.PIPE, text=True)
                until("serving")
            def until(event, text=""):
                for line in host.stdout:
                    line = json.loads(line)
                    if line["event"] == event and text in (line.get("text") or ""): return line
            def end():
                host.send_signal(signal.SIGTERM)
                print("ended", host.wait(30))
            def notes():
                try:
                    with open(state + "/notes") as file: return file.read().splitlines()
                except FileNotFoundError: return []
            def apps(): return [json.loads(line) for line in curfew("apps", "--json").splitlines()]
            def requests(): return json.loads(curfew("ps", "--all", "--json"))["requests"]
            def wait(what, seconds=30):
                limit = time.monotonic() + seconds
                while not (answer := what()):
                    assert time.monotonic() < limit, "it did not come about"
                    time.sleep(0.01)
                return answer

            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", head + script, CommandRun.program,
                BuiltProducts.path(ofProduct: "app-harness"), files.path,
            ], environment: CommandRun.environment.merging(["TZ": "UTC"]) { $1 },
            directory: files.path, limit: .seconds(90))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test("One with a due request is started, launches it, and ends by itself")
    func started() throws {
        let output = try run(
            """
            print(curfew("apps"))
            start()
            scenario("start-submit")
            # By its file, which came while the host ran, and then by its date.
            print(wait(notes))
            print(apps()[0]["running"])
            wait(lambda: not apps()[0]["running"])
            print(apps()[0]["due"], apps()[0]["fault"])
            print([(each["state"], each["outcome"]) for each in requests()])
            # The request of an app whose host died is one as well: nobody is told of it.
            scenario("start-submit")
            print(wait(lambda: len(notes()) == 2), len(requests()))
            print(curfew("apps", "--forget", "org.example.app"), apps())
            print(curfew("apps", "--forget", "org.example.app").splitlines()[0])
            print(curfew("apps", "--forget", "../state/x").splitlines()[0])
            end()
            """)
        #expect(
            output == """
                no app has written down how it is started
                ['org.example.app.refresh for org.example.app.refresh, background']
                True
                None None
                [('finished', 'succeeded')]
                True 2
                 []
                error: there is no app `org.example.app`
                error: there is no app `../state/x`
                ended 0

                """)
    }

    @Test("A start waits with the host's requests, and is left out if a person opens the app")
    func opened() throws {
        let output = try run(
            """
            start()
            curfew("drain")
            scenario("start-submit")
            until("log", "starts the app")
            print([each["state"] for each in requests()], notes())
            person = subprocess.Popen([app, "start-run"])
            print(wait(notes))
            wait(lambda: requests()[0]["state"] == "cancelled")
            curfew("drain", "--end")
            person.kill()
            person.wait()
            print([each["state"] for each in requests()], len(notes()))
            # What is not to be started has no file; a host that does not start apps leaves the others alone.
            end()
            os.unlink(state + "/curfew/apps/org.example.app.json")
            scenario("start-never")
            print(apps())
            """)
        #expect(
            output == """
                ['pending'] []
                ['org.example.app.refresh for nobody, foreground']
                ['cancelled'] 1
                ended 0
                []

                """)
    }

    @Test(
        "One that ends at once is started again after a minute, or by the next host; odd files are told"
    )
    func broken() throws {
        let output = try run(
            """
            start()
            scenario("start-submit-broken")
            until("ended")
            print(notes(), [(each["outcome"], each["attempts"]) for each in requests()])
            with open(state + "/curfew/apps/odd.json", "w") as file: file.write("{")
            print(until("log", "odd is not started")["level"])
            end()
            # Another host tries again.
            start()
            until("ended")
            print(len(notes()), [each["state"] for each in requests()])
            end()
            write(apps={"enabled": False})
            os.unlink(state + "/notes")
            start()
            curfew("submit", "--", "/bin/true")
            until("ended")
            print(notes())
            end()
            """)
        #expect(
            output == """
                ['broken'] [('failed', 0)]
                warning
                ended 0
                2 ['finished', 'finished']
                ended 0
                []
                ended 0

                """)
    }

    @Test(
        "A start that waits goes with its file, its request and its host; another store is noticed")
    func withdrawn() throws {
        let output = try run(
            """
            write(apps={"atATime": 10})
            start()
            curfew("drain")
            place = state + "/stores"
            os.mkdir(place, 0o700)
            def app_file(name, store, **more):
                with open(state + "/early", "w") as file:
                    json.dump({"app": name, "store": place + "/" + store, "executable": "/bin/true", **more}, file)
                os.chmod(state + "/early", 0o600)
                os.rename(state + "/early", state + "/curfew/apps/" + name + ".json")
            def submit(store, *more):
                subprocess.run([program, "submit", "--store", place + "/" + store, *more, "--", "/bin/true"],
                    capture_output=True, check=True)
            def states():
                return {each["id"]: each["state"] for each in requests()}
            for name in ("file", "request"):
                submit(name)
                app_file(name, name)
                until("log", "starts the app " + name)
            print(sorted(states().items()))
            os.unlink(state + "/curfew/apps/file.json")
            subprocess.run([program, "cancel", "1", "--store", place + "/request"], capture_output=True, check=True)
            wait(lambda: set(states().values()) == {"cancelled"})
            # A store that comes after its file, one that is made anew, and one in the place of another.
            app_file("later", "later")
            for name in ("anew", "moved"):
                submit(name, "--after", "1h")
                app_file(name, name)
            wait(lambda: len([each for each in apps() if each["due"]]) == 2)
            subprocess.run(["rm", "-rf", place + "/anew"])
            os.rename(place + "/moved", place + "/aside")
            for name in ("later", "anew", "moved"):
                submit(name)
                until("log", "starts the app " + name)
            # Another directory of apps.
            os.rename(state + "/curfew/apps", state + "/curfew/before")
            wait(lambda: os.path.isdir(state + "/curfew/apps"))
            wait(lambda: list(states().values()).count("pending") == 0)
            submit("again")
            app_file("again", "again")
            until("log", "starts the app again")
            app_file("twin", "again")
            print(until("log", "twin is not started")["text"])
            # The next host begins anew.
            host.kill()
            host.wait()
            write(apps={"enabled": False})
            start()
            curfew("submit", "--", "/bin/true")
            print(until("ended")["succeeded"], list(states().values()).count("pending"))
            end()
            """)
        #expect(
            output == """
                [(1, 'pending'), (2, 'pending')]
                the app twin is not started: its store is that of again
                True 0
                ended 0

                """)
    }

    @Test("As many are being started at a time as the configuration says, and then the next one")
    func atATime() throws {
        let output = try run(
            """
            write(apps={"atATime": 2})
            os.makedirs(state + "/curfew/apps", 0o700)
            for name in ("first", "second", "third"):
                store = state + "/" + name
                subprocess.run([program, "submit", "--store", store, "--", "/bin/true"], capture_output=True, check=True)
                path = state + "/curfew/apps/" + name + ".json"
                with open(path, "w") as file:
                    json.dump({"app": name, "store": store, "executable": "/bin/sleep", "arguments": ["600"]}, file)
                os.chmod(path, 0o600)
            start()
            def states(): return [each["state"] for each in requests()]
            print(until("log", "starts the app")["text"].split()[-5:-2], until("log", "starts the app")["text"].split()[-5:-2])
            wait(lambda: states() == ["running", "running"])
            # The others have had their turn as well, and it is told once the first is over.
            curfew("cancel", "1")
            print(until("log", "starts the app")["text"].split()[-5:-2])
            wait(lambda: sorted(states()) == ["cancelled", "running", "running"])
            end()
            """)
        #expect(
            output == """
                ['the', 'app', 'first'] ['the', 'app', 'second']
                ['the', 'app', 'third']
                ended 0

                """, "\(output)")
    }
}
