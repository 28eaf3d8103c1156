# SPDX-License-Identifier: Apache-2.0
"""A bus of its own in place of the system's, services on it, and a host of `curfew serve` that listens to it.

bus.py SCRIPT PROGRAM DIRECTORY runs a script with the names of this file. It needs the Python of Debian, which has
python3-dbusmock.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

import dbus

program, directory = sys.argv[2:4]
store, place, socket = (os.path.join(directory, name) for name in ("store", "curfew.json", "bus"))
os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={socket}"
MOCK = "org.freedesktop.DBus.Mock"
LOGIN = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
POWER = ("org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower")
BATTERY = (POWER[0], POWER[1] + "/devices/DisplayDevice", POWER[2] + ".Device")
NETWORK = ("org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
           "org.freedesktop.NetworkManager")
PROFILES = ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles")
ZONE = ("org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.timedate1")
children = []


def begin(words, **more):
    child = subprocess.Popen(words, start_new_session=True, **more)
    children.append(child)
    return child


def until(what, seconds=20):
    """Waits until a look answers something true, and returns it."""
    end = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
    return answer


def start_bus():
    child = begin(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
                   f"--address=unix:path={socket}"], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline()
    return child


def connect():
    return dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])


def start_service(template, service):
    child = begin([sys.executable, "-m", "dbusmock", "--system", "--template", template],
                  stdout=subprocess.DEVNULL)
    bus = connect()
    until(lambda: bus.name_has_owner(service[0]))
    return child


def mock(service, method, *arguments):
    return connect().get_object(*service[:2]).get_dbus_method(method, MOCK)(*arguments)


def change(service, **properties):
    mock(service, "UpdateProperties", service[2], dbus.Dictionary(properties, signature="sv"))


def tell(service, name, *values):
    mock(service, "EmitSignal", service[2], name, "b" * len(values),
         dbus.Array(values, signature="v"))


def start_host(source="bus", **environment):
    with open(place, "w") as file:
        json.dump({"factors": {"source": source}, "schedules": []}, file)
    child = begin([program, "serve", "--json", "--store", store, "--config", place,
                   "--threshold=debounce=0s"],
                  stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    while json.loads(child.stdout.readline())["event"] != "serving":
        pass
    return child


def curfew(*words):
    done = subprocess.run([program, words[0], "--store", store, *words[1:]], capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(store, "STORE").strip()


def ask(target):
    done = subprocess.run(["curl", "-s", "--unix-socket", store + "/control.sock", "http://x" + target],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def factor(name):
    """The state of a factor, who says so, and the words."""
    found = [each for each in ask("/v1/factors")["factors"] if each["name"] == name]
    return (found[0]["state"], found[0]["source"], found[0]["detail"]) if found else None


def request(number):
    return ask(f"/v1/requests/{number}")


def held_by(number):
    """What a request waits for, in words."""
    return [each["detail"] for each in ask(f"/v1/requests/{number}/why")["factors"] if each["holds"]]


def end(child, number=signal.SIGTERM):
    child.send_signal(number)
    return child.wait(30)


try:
    exec(sys.argv[1])
finally:
    for child in children:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
