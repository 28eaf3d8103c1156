#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that were built, two test targets at a time, each in a process of its own.

The target that took longest in the last run begins first, so that both processes end at about the
same time. A line says how each target ended. The last lines say what failed and where: a person who
reads only the end of a log finds it there. The whole output of each target is in .build/tests, and
costs.txt beside it has the seconds of each test, the dearest first.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST = 1600  # characters of a message, which may hold a whole value, or all that a program said
BEGINNING = 400  # characters of them from its beginning; how a program failed stands at the end
LAST_LINES = 40  # of the output of a process that died
WIDEST = 140  # characters of a line about a call


class Target:
    """The tests of one target that are to run, and what came of them."""

    running = {}  # the processes of all targets

    def __init__(self, name, options, directory):
        self.name = name
        self.tests = []
        wanted = any_of(options.filter)
        self.arguments = ["--filter", rf"^(?={name}\.).*{wanted}" if wanted else rf"^{name}\."]
        for each in options.skip:
            self.arguments += ["--skip", each]
        self.log = directory / f"{name}.log"
        self.events = directory / f"{name}.jsonl"
        self.stall = options.stall
        self.wall = 0
        self.seconds = {}  # of each test that ended
        self.seen = set()  # tests that began, and those that were skipped
        self.skipped = 0
        self.faults = []

    def run(self, bundle):
        """Runs the tests in a process, and reads what happened."""
        self.events.unlink(missing_ok=True)
        begun = time.monotonic()
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                [bundle, "--testing-library", "swift-testing", "--no-parallel",
                 "--event-stream-version", "0", "--event-stream-output-path", self.events,
                 *self.arguments],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            Target.running[process] = self
            status = self.wait(process)
            del Target.running[process]
        self.wall = time.monotonic() - begun
        unfinished = self.read()
        lost = [test for test in self.tests if test not in self.seen]
        self.faults += [f"- did not end: {test}" for test in unfinished]
        self.faults += [f"- did not run: {test}" for test in lost]
        if unfinished or lost or status != 0 and not self.faults:
            self.faults.append(f"- the process of {self.name} ended with {status}, and said at last:")
            lines = self.log.read_text("utf-8", "replace").splitlines()
            self.faults += ["  " + line for line in lines[-LAST_LINES:]]
        return self

    def wait(self, process):
        """Waits for the process. If no test begins or ends for too long, one of them hangs: says
        where, and kills it."""
        size, since = 0, time.monotonic()
        while True:
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                pass
            now = self.events.stat().st_size if self.events.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > self.stall:
                self.faults.append(f"- nothing happened in {self.name} for {self.stall} s; its"
                                   " threads, when it was killed:")
                self.faults += ["  " + line for line in threads(process.pid)]
                process.kill()

    def read(self):
        """Takes seconds and failures from the events. Returns the tests that did not end: one of
        them took the process with it."""
        begun = {}
        text = self.events.read_text("utf-8", "replace") if self.events.exists() else ""
        for line in text.splitlines():
            try:
                payload = json.loads(line).get("payload", {})
            except ValueError:
                continue  # cut off where the process died
            # Target.Suite/function()/File.swift:12:4; a suite is a name alone.
            test = payload.get("testID", "").rpartition("/")[0]
            match payload.get("kind"):
                case "testStarted" if test:
                    self.seen.add(test)
                    begun[test] = payload["instant"]["absolute"]
                case "testSkipped" if test:
                    self.seen.add(test)
                    self.skipped += 1
                case "testEnded" if test in begun:
                    self.seconds[test] = payload["instant"]["absolute"] - begun.pop(test)
                case "issueRecorded" if not payload.get("issue", {}).get("isKnown"):
                    place = payload["issue"].get("sourceLocation") or {}
                    where = f"{place.get('fileID', '?')}:{place.get('line', '?')}"
                    self.faults.append("- " + ", in ".join(filter(None, [where, test])))
                    self.faults += ["  " + shortened(message["text"])
                                    for message in payload.get("messages", [])]
        return list(begun)

    def __str__(self):
        skipped = f", {self.skipped} of them skipped" if self.skipped else ""
        return (f"{'FAILED' if self.faults else 'passed'} {self.wall:6.1f} s"
                f" {len(self.tests):4} tests of {self.name}{skipped}")


def threads(pid):
    """What each thread of a process does: its calls if there is a debugger, else the function of
    the kernel that it waits in."""
    if shutil.which("gdb"):
        said = subprocess.run(
            ["timeout", "120", "gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 12"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        calls = [re.sub(r"^#(\d+) +(?:0x\w+ in )?", r"#\1 ", line)[:WIDEST]
                 for line in said.stdout.splitlines() if re.match(r"#|Thread \d", line)]
        if calls:
            return calls
    return [f"{(each / 'comm').read_text().strip()}: {(each / 'wchan').read_text()}"
            for each in sorted(pathlib.Path(f"/proc/{pid}/task").iterdir())]


def shortened(text):
    """Both ends of a long message."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:BEGINNING]}\n  [...]\n{text[BEGINNING - LONGEST:]}"


def any_of(expressions):
    """One regular expression for several; "" for none."""
    return f"(?:{'|'.join(expressions)})" if expressions else ""


def read_costs(path):
    """The seconds of each test in the last run."""
    rows = [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []
    return {test: float(seconds) for seconds, test in rows}


def stop(number, _):
    """Ends the tests when this process is to end, and says which were under way."""
    for process, target in list(Target.running.items()):
        process.kill()
        for test in target.read():
            print(f"- had not ended: {test}", file=sys.stderr, flush=True)
    os._exit(128 + number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--scratch-path", type=pathlib.Path, default=".build",
                        help="where the tests were built")
    parser.add_argument("--filter", action="append", default=[], help="run only tests that match")
    parser.add_argument("--skip", action="append", default=[], help="leave out tests that match")
    parser.add_argument("--at-once", type=int, default=min(2, len(os.sched_getaffinity(0))),
                        help="how many targets run at a time; 2, or 1 on one core")
    parser.add_argument("--stall", type=int, default=900, metavar="SECONDS",
                        help="kill a target of which no test began or ended for so long; 900")
    options = parser.parse_args()

    # Not through `swift test`, which holds a lock that a second one waits for. What is built beside
    # the tests is found by their absolute path.
    scratch = ROOT / options.scratch_path
    bundle = next(scratch.glob("debug/*.xctest"), None)
    if bundle is None:
        sys.exit("run-tests: no tests were built: swift build --build-tests")
    directory = scratch / "tests"
    directory.mkdir(exist_ok=True)
    listed = subprocess.run([bundle, "--testing-library", "swift-testing", "--list-tests"],
                            cwd=ROOT, check=True, capture_output=True, text=True)
    wanted, unwanted = any_of(options.filter), any_of(options.skip)
    targets = {}
    for test in listed.stdout.splitlines():
        if re.search(wanted, test) and not (unwanted and re.search(unwanted, test)):
            name = test.partition(".")[0]
            if name not in targets:
                targets[name] = Target(name, options, directory)
            targets[name].tests.append(test)
    if not targets:
        sys.exit("run-tests: no test matches")

    costs = read_costs(directory / "costs.txt")
    # A test that was not in the last run is taken for an average one.
    average = sum(costs.values()) / len(costs) if costs else 1
    queue = sorted(targets.values(), reverse=True,
                   key=lambda target: sum(costs.get(test, average) for test in target.tests))
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for ended in concurrent.futures.as_completed(
                [pool.submit(target.run, bundle) for target in queue]):
            print(ended.result(), flush=True)
    wall = time.monotonic() - begun

    new = {test: seconds for target in queue for test, seconds in target.seconds.items()}
    kept = costs if options.filter or options.skip else {}
    with open(directory / "costs.txt", "w", encoding="utf-8") as file:
        for test, seconds in sorted((kept | new).items(), key=lambda row: -row[1]):
            file.write(f"{seconds:.3f}\t{test}\n")
    count = sum(len(target.tests) for target in queue)
    print(f"run-tests: {count} tests in {wall:.0f} s, which take {sum(new.values()):.0f} s one after"
          f" another; what they said, and the cost of each: {directory}", flush=True)
    faults = [fault for target in queue for fault in target.faults]
    if faults:
        print("\ntests: what failed:", *faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    for each in signal.SIGTERM, signal.SIGINT:
        signal.signal(each, stop)
    sys.exit(main())
