# SPDX-License-Identifier: Apache-2.0
"""Measures the paths of a task and of a request: ours, peers, and what no program can go below.

    python3 Benchmarks/bench.py [PATH…] [--library LIBRARY] [--rounds N] [--json FIGURES]

A round runs each program of a path once, in a fresh process; rounds follow each other, so that a
slow minute of the machine falls on all of them. Of the rounds the median is shown, the lowest and
the highest, and the ratio of the medians to the first row's. Writes the same as JSON."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import paths
from programs import ROOT, Missing, Programs, machine

TIME_LIMIT_SECONDS = 60  # for one run of one program
PATH_SECONDS = 110  # after so long a path begins no further round, once it has three


def run(program, places):
    """One run: {what was printed: number}."""
    if program.before:
        program.before()
    with tempfile.TemporaryDirectory(prefix="run-", dir=places) as place:
        command = [str(part).replace("{}", place) for part in program.command]
        os.sync()  # what the program before left to write is not this one's to wait for
        environment = {**os.environ, **program.environment}
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env=environment, timeout=TIME_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            sys.exit(f"\nbench: {program.name}: not done after {TIME_LIMIT_SECONDS} s: {command}")
    if done.returncode != 0:
        sys.exit(f"\nbench: {program.name}: status {done.returncode}: {command}\n"
                 f"{done.stderr.strip()[-2000:]}")
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


def measure(path, rounds, places):
    """All rounds of a path: a list of {program: {name: number}}."""
    results = []
    began = time.monotonic()
    while len(results) < rounds:
        if len(results) >= 3 and time.monotonic() - began > PATH_SECONDS:
            break
        results.append({program.key: run(program, places) for program in path.programs})
        if sys.stderr.isatty():
            print(f"\r\033[K{path.name}: {len(results)} of {rounds}", end="", file=sys.stderr,
                  flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return results


def lines_of(table, results):
    """A table's rows as they stand in the JSON file."""
    lines = []
    for row in table.rows:
        values = [row.value(result) for result in results]
        lines.append({
            "path": table.name, "name": row.name, "role": row.role, "unit": table.unit,
            "median": round(statistics.median(values), 3), "min": round(min(values), 3),
            "max": round(max(values), 3), "runs": len(values)})
    return lines


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}"


def show(table, lines):
    """Prints a table, and whether its targets are met; returns that in a line for each."""
    first = lines[0]["median"]
    print(f"\n{table.title:<41} {'median':>9} {'min – max':>18} {'ratio':>8}")
    for line in lines:
        ratio = f"{line['median'] / first:.2f}" if first > 0 and len(lines) > 1 else ""
        span = f"{number(line['min'])} – {number(line['max'])}"
        mark = {"ours": "*", "limit": "=", "peer": " "}[line["role"]]
        print(f"{mark} {line['name']:<39} {number(line['median']):>9} {span:>18} {ratio:>8}")
    medians = {row.name: line["median"] for row, line in zip(table.rows, lines)}
    verdicts = []
    for target in table.targets():
        value, is_met = target.judge(medians)
        verdict = "met" if is_met else "MISSED"
        print(f"  target: {target.text}; it is {value}: {verdict}")
        verdicts.append(f"{verdict:<7} {table.name}: {target.text}; it is {value}")
    return verdicts


def heading(library, compiler):
    print(f"Curfew's benchmarks, {time.strftime('%Y-%m-%d %H:%M %Z')}")
    print(f"{machine()}; load before: {os.getloadavg()[0]:.2f}")
    print(f"Linux {platform.release()}; {compiler}")
    print(f"{library}")
    print("* ours, = the limit, others are peers; a ratio is to the first row of its table")


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH",
                        help=f"which: {' '.join(paths.NAMES)} (default: all)")
    parser.add_argument("--library", type=Path,
                        default=ROOT / ".build" / "release" / "libCurfewHost.so",
                        help="libcurfew (default: the release build's)")
    parser.add_argument("--command", type=Path, default=ROOT / ".build" / "release" / "curfew",
                        help="the program curfew (default: the release build's)")
    parser.add_argument("--rounds", type=int, default=9, help="how often each runs (default: 9)")
    parser.add_argument("--json", type=Path, default=ROOT / ".build" / "bench.json",
                        help="where to write the figures (default: .build/bench.json)")
    options = parser.parse_args()
    unknown = [name for name in options.paths if name not in paths.NAMES]
    if unknown:
        parser.error(f"no path is called {' or '.join(unknown)}; there are {' '.join(paths.NAMES)}")
    if not 1 <= options.rounds <= 1000:
        parser.error(f"--rounds {options.rounds}: must be 1 to 1000")
    for file in (options.library, options.command):
        if not file.is_file():
            parser.error(f"there is no {file}: run `make release` first, or name another one")
    return options


def main():
    options = arguments()
    programs = Programs(ROOT / ".build" / "bench")
    context = paths.Context(programs, str(options.library.resolve()),
                            str(options.command.resolve()))
    heading(options.library, programs.compiler)
    results, verdicts = [], []
    for name in options.paths or paths.NAMES:
        try:
            path = paths.make(name, context)
        except Missing as missing:
            print(f"bench: {name} is left out: there is no {missing}", file=sys.stderr)
            continue
        try:
            figures = measure(path, min(options.rounds, path.rounds), programs.output)
        finally:
            for close in path.closing:
                close()
        print(f"\n{path.name}: {path.what}\n{'-' * 79}")
        for table in path.tables:
            lines = lines_of(table, figures)
            verdicts += show(table, lines)
            results += lines
        for rule in path.rules:
            complaint = rule(figures)
            if complaint:
                sys.exit(f"bench: {path.name}: {complaint}")
    for missing in sorted(programs.missing):
        print(f"bench: {missing}; its rows are left out", file=sys.stderr)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n",
                            encoding="utf-8")
    print("\nTargets\n" + "\n".join(verdicts))


if __name__ == "__main__":
    main()
