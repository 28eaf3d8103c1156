# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs interleaved and prints what they measured, as ratios to the limit.

Called by run.sh, which builds the programs. Writes bench.json beside them.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT, OURS, PEER = "limit", "ours", "peer"
TIME_LIMIT_SECONDS = 60  # for one run of one program


class Row:
    """One line of a table: a program with its arguments, and what its runs printed."""

    places = None  # where runs may write

    def __init__(self, role, name, *command):
        self.role, self.name, self.command = role, name, command
        self.runs = []

    def run(self):
        # `{}` is a new place on the disk the build is on, for this run alone.
        place = tempfile.mkdtemp(prefix="store-", dir=self.places)
        command = [part.replace("{}", place) for part in self.command]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS
            )
        except subprocess.TimeoutExpired:
            sys.exit(f"\n{self.name}: not done after {TIME_LIMIT_SECONDS} s: {self.command}")
        shutil.rmtree(place, ignore_errors=True)
        if done.returncode != 0:
            sys.exit(f"\n{self.name}: status {done.returncode}: {done.stderr.strip()[-2000:]}")
        self.runs.append({k: float(v) for k, v in map(str.split, done.stdout.splitlines())})

    def values(self, key):
        return [run[key] for run in self.runs]


def tables(programs, library):
    program = {p: str(programs / p) for p in (
        "dispatch_limit", "dispatch_libdispatch", "dispatch_curfew",
        "lateness_timerfd", "lateness_curfew",
    )}
    empty, expiring = str(programs / "empty-plugin"), str(programs / "expiring-plugin")
    curfew, libdispatch = program["dispatch_curfew"], program["dispatch_libdispatch"]
    dispatch = [
        Row(LIMIT, "limit in C: ring, deadline cell", program["dispatch_limit"]),
        Row(OURS, "Curfew, fire and forget", curfew, "plain", library, empty),
        Row(OURS, "Curfew, done event to a C function", curfew, "event", library, empty),
        Row(PEER, "libdispatch serial, no deadline", libdispatch, "serial"),
        Row(PEER, "libdispatch global, no deadline", libdispatch, "global"),
        Row(PEER, "libdispatch serial, timer per task", libdispatch, "timer"),
    ]
    lateness = [
        Row(LIMIT, "limit: bare timerfd, timer slack 1 ns", program["lateness_timerfd"], "1"),
        Row(LIMIT, "bare timerfd, default timer slack", program["lateness_timerfd"]),
        Row(OURS, "Curfew, expired callback", program["lateness_curfew"], library, expiring),
    ]
    ours, sqlite = str(programs / "requests_curfew"), str(programs / "requests_sqlite")
    parallel, store = str(programs / "parallel-plugin"), "{}/store"
    submits = [
        [
            Row(LIMIT, "raw SQLite, one INSERT a commit", sqlite, callers, count, "{}/raw.db"),
            Row(OURS, "Curfew, submit", ours, "submit", callers, count, library, parallel, store),
        ]
        for callers, count in (("1", "3000"), ("64", "12800"))
    ]
    lives = [Row(OURS, "Curfew, 64 in flight", ours, "life", "64", "6400", library, parallel, store)]
    if (programs / "huey").is_dir():
        script = str(Path(__file__).parent / "requests_huey.py")
        lives += [
            Row(PEER, f"huey SqliteHuey, fsync, {workers} workers", "env",
                f"PYTHONPATH={programs / 'huey'}", sys.executable, script, workers, "64", "640",
                "{}/huey.db")
            for workers in ("1", "4")
        ]
    all_tables = [dispatch, lateness, *submits, lives]
    if library is None:
        return [[r for r in t if r.role != OURS] for t in all_tables]
    return all_tables


def heading(rounds, library):
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    swift = json.loads(os.environ["CURFEW_BENCH_TOOLCHAIN"])["compilerVersion"]
    print(f"Curfew benchmarks, {time.strftime('%Y-%m-%d %H:%M %Z')}, {rounds} rounds")
    print(f"{os.cpu_count()} cores, {model}; load before: {os.getloadavg()[0]:.2f}")
    print(f"Linux {platform.release()}; {swift}")
    print(f"libcurfew: {library or 'none, peers only'}")


def summary(rows, path, key, unit):
    lines = []
    for row in rows:
        values = row.values(key)
        lines.append({
            "path": path, "name": row.name, "role": row.role, "unit": unit,
            "median": round(statistics.median(values), 2),
            "min": min(values), "max": max(values), "runs": len(values),
        })
    return lines


def show(title, lines):
    print(f"{title:<39} {'median':>10} {'min – max':>21} {'ratio':>7}")
    for line in lines:
        ratio = line["median"] / lines[0]["median"]
        span = f"{line['min']:,.1f} – {line['max']:,.1f}"
        print(f"  {line['name']:<37} {line['median']:>10,.1f} {span:>21} {ratio:>7.2f}")


def main():
    arguments = argparse.ArgumentParser(prog="Benchmarks/run.sh")
    arguments.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    arguments.add_argument(
        "--rounds", type=int, default=os.environ.get("BENCH_ROUNDS") or 9,
        help="how often each program runs (default: BENCH_ROUNDS, or 9)")
    arguments.add_argument(
        "--library", type=Path,
        default=os.environ.get("CURFEW_LIBRARY") or ".build/release/libCurfewHost.so",
        help="libcurfew (default: CURFEW_LIBRARY, or .build/release/libCurfewHost.so)")
    arguments.add_argument(
        "--peers-only", action="store_true", help="measure only the limits and the peers")
    options = arguments.parse_args()
    if not 1 <= options.rounds <= 1000:
        arguments.error(f"--rounds {options.rounds}: must be 1 to 1000")
    if not options.peers_only and not options.library.is_file():
        arguments.error(
            f"no library {options.library}: run `swift build -c release --product CurfewHost`"
            " first, name one with --library, or measure the others with --peers-only")

    library = None if options.peers_only else str(options.library.resolve())
    programs = options.programs.resolve()
    Row.places = programs
    dispatch, lateness, submit, submit64, lives = tables(programs, library)
    heading(options.rounds, None if options.peers_only else options.library)
    for _ in range(options.rounds):
        for row in dispatch + lateness + submit + submit64 + lives:
            row.run()

    results = summary(dispatch, "dispatch", "ns_per_task", "ns")
    print("\nDispatch: 1,000,000 tasks a run")
    show("ns per task", results)
    for row in dispatch:
        ahead = sum(run.get("uncounted", 0) > 0 for run in row.runs)
        if ahead:
            print(f"note: {row.name}: in {ahead} of {len(row.runs)} runs the last done event was"
                  "\n  delivered before the handler's state counted its success")
    print("\nExpiration on busy workers: 2,000 budgets of 0.2 to 2 ms a run")
    for key, title in (("p50_us", "p50"), ("p99_us", "p99"), ("max_us", "max")):
        lines = summary(lateness, f"expiration {title}", key, "us")
        show(f"{title} of the lateness, µs", lines)
        results += lines
    early = [(row, int(sum(row.values("early")))) for row in lateness]
    print("early, in the order of the rows (must be 0): " + ", ".join(str(n) for _, n in early))

    print("\nDurable requests: on disk before the call returns, more is better")
    for rows, path, title in (
        (submit, "submit", "submits a second, 1 caller"),
        (submit64, "submit 64", "submits a second, 64 callers"),
        (lives, "request", "submitted, run and ended a second"),
    ):
        lines = summary(rows, path, "per_second", "1/s")
        show(title, lines)
        results += lines

    target = options.programs / "bench.json"
    target.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if any(row.role == OURS and n > 0 for row, n in early):
        sys.exit("Curfew told a task to stop before its budget was over")


if __name__ == "__main__":
    main()
