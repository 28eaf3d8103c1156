#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `curfew serve` needs: to be ready, to launch, to be idle, to hold connections, to end.

    serve.py CURFEW STORE WORK [--seconds 10]

STORE has 100,000 pending requests and 1,000 schedules, and is made if it is not there. It is copied to
WORK, which must not exist, and the host works on the copy. Prints one name and number a line:

ready_ms     from the start of the process until it tells its manager that it is ready
reload_ms    a call that has 1,000 schedules read again, none of which has changed
late_ms      from the date of a request until its program runs: the median of 40
latest_ms    the same, the longest
wakeups      how often its threads woke up in SECONDS without work
empty_kib    resident, with 10 connections, on a store in which nothing waits
streams_kib  the same, with 256 streams of the journal as well
idle_kib     resident, with 10 connections and all that is pending
event_ms     from a submission until each of the 256 streams has its event
crowd_ms     1,000 connections, each opened and asked once, all open at the end
stop_ms      from SIGTERM until the process has ended, with nothing running
"""

import argparse
import datetime
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "idle"))
from count import threads  # pylint: disable=wrong-import-position

PENDING, SCHEDULES, BATCH = 100_000, 1_000, 256


class Connection(http.client.HTTPConnection):
    """A connection to the control socket of a store."""

    def __init__(self, store):
        super().__init__("localhost", timeout=60)
        self.store = store

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(f"{self.store}/control.sock")

    def ask(self, method, target, body=None):
        """The answer's JSON."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.request(method, target, None if body is None else json.dumps(body), headers)
        answer = self.getresponse()
        value = json.loads(answer.read())
        if answer.status >= 400:
            sys.exit(f"{method} {target}: {value}")
        return value


def start(curfew, store, work):
    """A host that is ready, and the milliseconds until it was."""
    place = f"{work}/manager"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(place)
        manager.settimeout(120)
        begun = time.perf_counter()
        host = subprocess.Popen(
            [curfew, "serve", "--store", store, "--config", f"{work}/curfew.json"],
            stdout=subprocess.DEVNULL, env={**os.environ, "NOTIFY_SOCKET": place, "HOME": work})
        manager.recv(4096)
        ready = (time.perf_counter() - begun) * 1000
        os.unlink(place)
        return host, ready


def stop(host):
    """Milliseconds."""
    begun = time.perf_counter()
    host.send_signal(signal.SIGTERM)
    if host.wait(60) != 0:
        sys.exit("the host has not ended in order")
    return (time.perf_counter() - begun) * 1000


def configure(work):
    schedules = [
        {"name": f"s{number}", "command": ["/bin/true"], "cron": "0 3 1 1 *"}
        for number in range(SCHEDULES)]
    Path(work, "curfew.json").write_text(json.dumps({"schedules": schedules}), "utf-8")


def prepare(curfew, store):
    """Makes the store with all that is pending."""
    work = store + ".made"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work, mode=0o700)
    configure(work)
    host, _ = start(curfew, f"{work}/store", work)
    connection = Connection(f"{work}/store")
    items = [{"identifier": f"org.example.n{number % 50}", "after": "365d", "onPending": "add",
              "kind": "processing"} for number in range(BATCH)]
    for begin in range(0, PENDING, BATCH):
        connection.ask("POST", "/v1/requests:batch", {"items": items[:min(BATCH, PENDING - begin)]})
    connection.close()
    stop(host)
    os.rename(f"{work}/store", store)
    shutil.rmtree(work)


def resident(host):
    status = Path(f"/proc/{host.pid}/status").read_text("utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def deliver(store):
    """256 streams that have had an event, and the milliseconds until each had it."""
    connection = Connection(store)
    after = 0
    while entries := connection.ask("GET", f"/v1/journal?after={after}&limit=1000")["entries"]:
        after = entries[-1]["sequence"]
    streams = [follow(store, after) for _ in range(256)]
    begun = time.perf_counter()
    connection.ask("POST", "/v1/requests", {"identifier": "org.example.n", "after": "1d"})
    for _, answer in streams:
        while b"submitted" not in answer.readline():
            pass
    return streams, (time.perf_counter() - begun) * 1000


def leave(streams):
    for connection, answer in streams:
        answer.close()
        connection.close()


def without_work(curfew, work):
    """What is resident of a host in whose store nothing waits."""
    Path(work, "curfew.json").write_text("{}", "utf-8")
    store = f"{work}/empty"
    host, _ = start(curfew, store, work)
    try:
        connections = [Connection(store) for _ in range(10)]
        for each in connections:
            each.ask("GET", "/v1/host")
        told = {"empty_kib": resident(host)}
        streams, _ = deliver(store)
        told["streams_kib"] = resident(host)
        leave(streams)
        for each in connections:
            each.close()
        stop(host)
        return told
    finally:
        if host.poll() is None:
            host.kill()
            host.wait()


def lateness(connection):
    """Milliseconds from their dates until requests run."""
    ids = []
    begin = time.time() + 0.5
    for number in range(40):
        at = datetime.datetime.fromtimestamp(begin + number * 0.05, datetime.timezone.utc)
        ids.append(connection.ask("POST", "/v1/requests", {
            "command": ["/bin/true"], "onPending": "add",
            "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z")})["id"])
    late = []
    for each in ids:
        connection.ask("GET", f"/v1/requests/{each}/wait?timeout=1min")
        shown = connection.ask("GET", f"/v1/requests/{each}")
        dates = [datetime.datetime.fromisoformat(date.replace("Z", "+00:00")) for date in (
            shown["attemptList"][0]["started"], shown["earliest"])]
        late.append((dates[0] - dates[1]).total_seconds() * 1000)
    return late


def follow(store, last):
    connection = Connection(store)
    connection.request("GET", f"/v1/journal?after={last}", headers={"Accept": "text/event-stream"})
    return connection, connection.getresponse()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("curfew")
    parser.add_argument("store")
    parser.add_argument("work")
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    if not Path(options.store).is_dir():
        prepare(options.curfew, options.store)
    os.makedirs(options.work, mode=0o700)
    told = without_work(options.curfew, options.work)
    configure(options.work)
    store = f"{options.work}/store"
    shutil.copytree(options.store, store)
    host, told["ready_ms"] = start(options.curfew, store, options.work)
    try:
        connections = [Connection(store) for _ in range(10)]
        for each in connections:
            each.ask("GET", "/v1/host")
        told["idle_kib"] = resident(host)
        first = connections[0]
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            if first.ask("POST", "/v1/reload")["kept"] != SCHEDULES:
                sys.exit("schedules have changed")
            times.append((time.perf_counter() - begun) * 1000)
        told["reload_ms"] = statistics.median(times)
        late = lateness(first)
        told["late_ms"], told["latest_ms"] = statistics.median(late), max(late)
        for each in connections:
            each.close()
        time.sleep(2)
        before = threads(host.pid)
        time.sleep(options.seconds)
        after = threads(host.pid)
        told["wakeups"] = sum(
            count - before.get(task, ("", 0))[1] for task, (_, count) in after.items())
        for task, (name, count) in after.items():
            if count != before.get(task, ("", 0))[1]:
                print(f"{name} woke up", file=sys.stderr)
        streams, told["event_ms"] = deliver(store)
        leave(streams)
        time.sleep(3)
        begun = time.perf_counter()
        crowd = [Connection(store) for _ in range(1_000)]
        for each in crowd:
            each.ask("GET", "/v1/host")
        told["crowd_ms"] = (time.perf_counter() - begun) * 1000
        for each in crowd:
            each.close()
        told["stop_ms"] = stop(host)
    finally:
        if host.poll() is None:
            host.kill()
            host.wait()
    for name, number in told.items():
        print(name, f"{number:.3f}")


if __name__ == "__main__":
    main()
