#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often the threads of an idle program wake up.

    count.py [--seconds 10] [--trace] -- COMMAND…

Starts the command, waits for its line "ready", lets it settle for a second, and counts for SECONDS.
wakeups is how often any of its threads went on after it had slept: the kernel counts how often a
thread gave its core up to sleep, and one that sleeps cannot do that again before it woke. threads
is how many there were. Nothing is attached to the program.

--trace attaches strace instead, after the same second, prints as calls how many calls of the system
returned, and says on stderr in which thread which of them, how often. Attaching itself makes every
call that sleeps begin anew, so that the first half second after it is left out.

Then the command's standard input ends. One that still runs after five seconds is ended; one that
fails makes this fail.
"""

import argparse
import collections
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RETURNED = re.compile(r"^\d+ +(\d+\.\d+) (?:<\.\.\. )?(\w+).* = ")


def threads(pid):
    """By thread: its name, and how often it gave its core up to sleep."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            status = (task / "status").read_text()
        except FileNotFoundError:
            continue  # it has ended
        switches = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)
        found[task.name] = (re.search(r"Name:\s+(.*)", status)[1], int(switches[1]))
    return found


def count(pid, seconds):
    before = threads(pid)
    time.sleep(seconds)
    after = threads(pid)
    woken = {
        name: switches - before.get(task, (name, 0))[1]
        for task, (name, switches) in after.items()}
    ended = len(before.keys() - after.keys())
    for name, times in woken.items():
        if times:
            print(f"{name} woke up {times} times", file=sys.stderr)
    return sum(woken.values()) + ended, len(after)


def trace(pid, seconds):
    names = {task: name for task, (name, _) in threads(pid).items()}
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as file:
        strace = subprocess.Popen(
            ["strace", "-f", "-ttt", "-q", "-e", "signal=none", "-o", file.name, "-p", str(pid)])
        time.sleep(0.5)
        if strace.poll() is not None:
            sys.exit("strace did not attach")
        begin = time.time()
        time.sleep(seconds)
        end = time.time()
        strace.send_signal(signal.SIGINT)
        strace.wait()
        returned = collections.Counter()
        for line in file:
            match = RETURNED.match(line)
            if match and begin <= float(match[1]) <= end:
                task = line.split()[0]
                returned[names.get(task, task), match[2]] += 1
    for (name, call), times in returned.most_common():
        print(f"{name} returned from {call} {times} times", file=sys.stderr)
    return sum(returned.values()), len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    program = subprocess.Popen(
        options.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if program.stdout.readline() != "ready\n":
            sys.exit(f"{options.command[0]} did not get ready")
        time.sleep(1)
        look = trace if options.trace else count
        times, running = look(program.pid, options.seconds)
        if program.poll() is not None:
            sys.exit(f"{options.command[0]} has ended meanwhile")
        program.stdin.close()
        try:
            status = program.wait(5)
        except subprocess.TimeoutExpired:
            status = 0
        if status != 0:
            sys.exit(f"{options.command[0]} left with {status}")
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
    print(f"{'calls' if options.trace else 'wakeups'} {times}\nthreads {running}")


if __name__ == "__main__":
    main()
