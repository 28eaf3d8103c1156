// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `configuration.schema.json`, which editors use, says what `curfew serve` says.
@Suite("The schema of the configuration")
struct ConfigurationSchemaTests {
    @Test("it has the keys of the help, and finds the same configurations sound")
    func agreement() throws {
        let files = try TemporaryDirectory()
        let script = """
            import json, os, re, subprocess, sys
            import jsonschema
            program, document, place = sys.argv[1:4]
            schema = json.load(open(document))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            def schedule(**more):
                made = {"name": "a", "command": ["/bin/true"], "every": "1h", **more}
                return {"schedules": [{key: value for key, value in made.items() if value is not None}]}
            handler = dict(command=None, identifier="org.example.a")
            cases = [
                {}, [], {"schedules": []}, {"schedules": {}}, {"schedule": []}, schedule(), schedule(name=None),
                schedule(name="A"), schedule(name="a" * 64), schedule(name="a" * 65), schedule(name="-a"),
                schedule(command=[]), schedule(command=["true"]), schedule(command=["/bin/true", 5]),
                schedule(command=None), schedule(**handler), schedule(identifier="org.example.a"),
                schedule(command=None, identifier="a"), schedule(command=None, identifier="org..a"),
                schedule(every=None), schedule(cron="0 3 * * *"), schedule(every=None, cron="0 3 * * *"),
                schedule(every=None, cron="@daily"), schedule(every=None, cron=3), schedule(every="1"),
                schedule(every="1.5h"), schedule(every="1m"), schedule(every=60), schedule(zone="UTC"),
                schedule(every=None, cron="@daily", zone="UTC"), schedule(every=None, cron="@daily", zone="../UTC"), schedule(every=None, cron="@daily", zone="Europe/Berlin"),
                schedule(payload="x"), schedule(payload=5), schedule(payload="x", payloadFile="/etc/hostname"),
                schedule(payloadFile="hostname"), schedule(payloadFile="/etc/hostname"), schedule(directory="x"),
                schedule(directory="/tmp"), schedule(environment={"A": "b"}), schedule(environment={"A": 5}),
                schedule(environment=[]), schedule(directory="/", **handler), schedule(environment={}, **handler),
                schedule(budget="1min", **handler), schedule(grace="1s", **handler), schedule(budget="2h"),
                schedule(grace="5s"), schedule(kind="app-refresh"), schedule(kind="other"),
                schedule(needs=["network"]), schedule(needs=["power"]), schedule(needs="network"),
                schedule(priority="high"), schedule(priority=1), schedule(catchUp="all"), schedule(catchUp="one"),
                schedule(jitter="0s"), schedule(jitter="5"), schedule(retry={"attempts": 3}), schedule(retry={}),
                schedule(retry={"attempts": 0}), schedule(retry={"attempts": 2, "base": "1s", "longest": "1h", "jitter": 0.5}),
                schedule(retry={"attempts": 2, "jitter": 2}), schedule(retry={"attempts": 2, "pause": "1s"}),
                schedule(enabled=False), schedule(enabled="no"), schedule(colour="red"),
                {"store": "/srv/x"}, {"store": "x"}, {"store": None}, {"store": "postgresql://db/x"}, {"store": "postgres://db/x"}, {"store": "http://db/x"}, {"scheduleSet": "web"}, {"scheduleSet": ""}, {"scheduleSet": "a/b"}, {"scheduleSet": 1}, {"plugins": {}}, {"plugins": []},
                {"plugins": {"directories": ["/p"]}}, {"plugins": {"directories": ["p"]}},
                {"plugins": {"isolation": "fresh"}}, {"plugins": {"isolation": "none"}},
                {"plugins": {"confine": True}}, {"plugins": {"confine": "yes"}}, {"plugins": {"trust": "require"}},
                {"plugins": {"trust": True}}, {"plugins": {"other": 1}}, {"plugins": {"start": "exec"}}, {"plugins": {"start": "clone"}}, {"plugins": {"require": ["pid namespace", "file rules"]}},
                {"plugins": {"require": ["namespace"]}}, {"plugins": {"require": "file rules"}}, {"plugins": {"idle": "1min"}},
                {"plugins": {"idle": 60}}, {"plugins": {"limits": {}}}, {"plugins": {"limits": {"memory": "2GB", "fileSize": "64MB", "descriptors": 64, "processes": 1}}},
                {"plugins": {"limits": {"memory": "2"}}}, {"plugins": {"limits": {"descriptors": 31}}}, {"plugins": {"limits": {"cpu": 1}}},
                {"plugins": {"overrides": {"org.example.tidy": {"enabled": False, "isolation": "fresh"}}}},
                {"plugins": {"overrides": {"a": {"enabled": 0}}}}, {"plugins": {"overrides": {"a": {"limits": {}}}}}, {"plugins": {"overrides": {"a": {"limits": {"memory": "1GB", "processes": 9}}}}}, {"plugins": {"overrides": {"a": {"limits": {"memory": 5}}}}}, {"plugins": {"overrides": {"a": {"limits": {"cpu": 1}}}}}, {"plugins": {"overrides": {"a": {"trust": "off"}}}}, {"plugins": {"overrides": []}},
                {"stop": {}}, {"stop": {"grace": "20s"}}, {"stop": {"grace": 5}}, {"stop": {"kill": "1s"}}, schedule(output="log"),
                schedule(output="/var/log/x"), schedule(output="x"), schedule(output=1), schedule(output="discard", **handler),
                {"control": {}}, {"control": {"socket": "/run/x/c.sock", "mode": "0666", "submitRate": 5}},
                {"control": {"socket": "c.sock"}}, {"control": {"socket": "/run/x/"}}, {"control": {"mode": "660"}}, {"control": {"mode": "0777"}}, {"control": {"mode": "+660"}},
                {"control": {"submitRate": 0}}, {"control": {"tcp": 1}}, {"control": {"roles": {"read": {"users": ["alice", "7"], "groups": []}}}},
                {"control": {"roles": {"submit": {"users": ["alice"], "identifiers": ["*", "org.*", "org.example.tidy"]}}}},
                {"control": {"roles": {"submit": {"users": ["alice"]}}}}, {"control": {"roles": {"submit": {"identifiers": ["org*"]}}}},
                {"control": {"roles": {"root": {}}}}, {"control": {"roles": {"read": {"identifiers": ["*"]}}}}, {"control": {"roles": {"admin": {"users": [7, "alice"]}}}}, {"control": {"roles": {"admin": {"users": [-1]}}}}, {"control": {"roles": {"admin": {"users": [None]}}}}, {"thresholds": {}}, {"thresholds": []},
                {"log": {}}, {"log": {"level": "warning", "format": "json"}}, {"log": {"level": "loud"}}, {"log": {"format": "xml"}}, {"log": "info"},
                {"apps": {"enabled": True, "atATime": 1000}}, {"apps": {"atATime": 0}}, {"apps": {"atATime": "2"}}, {"apps": {"atATime": 1001}},
                {"thresholds": {"place-limit": 3, "history": "1d"}}, {"thresholds": {"place-limit": True}},
            ]
            sound = 0
            for case in cases:
                path = os.path.join(place, "curfew.json")
                with open(path, "w") as file: json.dump(case, file)
                done = subprocess.run([program, "serve", "--check", "--json", "--config", path],
                                      capture_output=True, text=True)
                faults = json.loads(done.stdout)["faults"]
                wrong = [error.message for error in validator.iter_errors(case)]
                sound += not wrong
                if bool(faults) != bool(wrong): print(json.dumps(case), faults, wrong)
            print(sound > 20, len(cases) - sound > 20)
            help = subprocess.run([program, "help", "serve"], capture_output=True, text=True).stdout
            def keys(title):
                section = help.split("\\n" + title + ":\\n")[1].split("\\n\\n")[0]
                rows = re.findall(r"^  ([a-zA-Z][a-zA-Z, ]*?)  ", section, re.M)
                return sorted(key for row in rows for key in row.split(", "))
            print(keys("configuration") == sorted(schema["properties"]))
            print(keys("a schedule") == sorted(schema["$defs"]["schedule"]["properties"]))
            print(keys("control") == sorted(schema["properties"]["control"]["properties"]))
            print(keys("plugins") == sorted(schema["properties"]["plugins"]["properties"]))
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", script, CommandRun.program,
                BuiltProducts.packageRoot + "/Documentation/configuration.schema.json", files.path,
            ],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(60))
        #expect(run.output == "True True\nTrue\nTrue\nTrue\nTrue\n", "\(run)")
    }
}
