# SPDX-License-Identifier: Apache-2.0
"""An evening, a night and a morning with an installed Curfew, told on standard output.

evening.py PREFIX CRASHING APP HOME CLOCK: the prefix of the installation, the directory of a plugin that crashes, a
program with code for Apple's modules, an empty directory, and libfaketime. The evening is nine hours before now: the
host and the commands of the evening are shown that time, and the night passes for the host an hour at a time. What it
starts sees the real clock.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

prefix, crashing, app, home, library = sys.argv[1:]
curfew, clock = prefix + "/bin/curfew", home + "/clock"
state, config = home + "/.local/state", home + "/.config/curfew"
os.environ.update(HOME=home, TZ="UTC", SWIFT_BACKTRACE="enable=no")
for name in list(os.environ):
    if name.startswith(("CURFEW_", "XDG_")):
        del os.environ[name]
os.environ["CURFEW_INFO_PLIST"] = home + "/Info.plist"
evening = {**os.environ, "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1",
           "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
# The library adds to the environment of the first program that loads it.
shell = ["sh", "-c", 'exec "$@"', "sh"]


def set_clock(hours):
    with open(clock + ".new", "w") as file:
        file.write(f"-{hours}h" if hours else "+0")
    os.rename(clock + ".new", clock)


def run(*words, environment=os.environ):
    done = subprocess.run(shell + list(words), env=environment, capture_output=True, text=True, cwd=home)
    assert done.returncode == 0, (words, done)
    return done.stdout


def requests():
    return json.loads(run(curfew, "ps", "--all", "--json", environment=evening))["requests"]


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)
    return answer


def touch(store):
    os.utime(store + "/wake")


os.makedirs(config, 0o700)
set_clock(9)
with open(config + "/curfew.json", "w") as file:
    json.dump({"factors": {"source": "none"}, "schedules": [
        {"name": "tidy", "command": ["/bin/sh", "-c", "echo tidied"], "every": "2h"}]}, file)
run(curfew, "install", crashing)
with open(home + "/serve.log", "w") as log:
    host = subprocess.Popen(shell + [curfew, "serve"], env=evening, stdout=log, stderr=log, cwd=home)
try:
    until(lambda: "serving" in open(home + "/serve.log").read())
    run(curfew, "submit", "--after", "3h", "--", "/bin/sh", "-c", "echo from the shell", environment=evening)
    run(curfew, "submit", "org.curfew.violation.crashes", "--after", "4h", environment=evening)
    run(app, "start-submit", str(5 * 3600), environment=evening)
    print("evening:", ", ".join(f"{each['id']} {each['state']}" for each in sorted(requests(), key=lambda each: each["id"])))
    print("apps:", re.sub(r" 20\d\d-.*, in [^,]*,", " …,", run(curfew, "apps", environment=evening).split(";")[0]))

    # Somebody's clock goes on: the host looks when its store, or that of an app, is touched.
    launches = {2: 1, 4: 2, 6: 3, 8: 4}
    tidied = 0
    for hour in range(1, 10):
        set_clock(9 - hour)
        touch(state + "/curfew/store")
        touch(state + "/org.example.app/requests")
        tidied = launches.get(hour, tidied)
        until(lambda: next(each["launches"] for each in requests() if each["id"] == 1) == tidied)
        wanted = (["finished"] if hour >= 3 else ["pending"]) + (["finished"] if hour >= 4 else ["pending"])
        until(lambda: [each["state"] for each in sorted(requests(), key=lambda each: each["id"])][1:3] == wanted)
        if hour == 5:
            until(lambda: os.path.exists(home + "/notes"))
            until(lambda: len(requests()) == 4 and min(requests(), key=lambda each: -each["id"])["state"] == "finished")

    print("morning")
    print(json.loads(run(curfew, "health", "--json"))["status"])
    for each in sorted(json.loads(run(curfew, "ps", "--all", "--json"))["requests"], key=lambda each: each["id"]):
        print(each["id"], each["identifier"], each["state"], each["outcome"], each["launches"])
    print("shell:", json.loads(run(curfew, "show", "2", "--json"))["attemptList"][0]["log"])
    print("crash:", json.loads(run(curfew, "why", "--history", "3", "--json"))["turns"][0]["outcome"][:60])
    history = json.loads(run(curfew, "why", "--history", "tidy", "--json"))
    print("tidy:", [turn["outcome"] for turn in history["turns"]])
    print("schedules:", [(each["name"], each["state"]) for each in json.loads(run(curfew, "schedules", "--json"))["schedules"]])
    print("app:", open(home + "/notes").read().strip())
    print("log:", sum("launched" in line for line in run(curfew, "log", "--limit", "1000").splitlines()), "launches")
    host.send_signal(signal.SIGTERM)
    print("ended", host.wait(30))
finally:
    if host.poll() is None:
        host.kill()
        host.wait()
