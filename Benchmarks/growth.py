# SPDX-License-Identifier: Apache-2.0
"""Cost of an operation against size: runs the programs of growth/, prints a table for each curve,
and writes growth.json, of which chart.py draws a plot for each.

    python3 Benchmarks/growth.py

A size is run several times, round after round; the median counts. A curve's exponent is that of
the power of its size as which the value grows over its last decade. What may grow with log n at
most and grows faster is flagged; so is what has to be copied and costs more than in proportion.
"""

import argparse
import dataclasses
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from programs import HERE, ROOT, Programs, machine

TIME_LIMIT_SECONDS = 120  # for one run of one program
NOISE = 1.5  # medians of a few runs on a shared machine differ by as much

LOGARITHMIC, PROPORTIONAL = "log n", "n"


@dataclasses.dataclass
class Curve:
    """One printed name over the sizes of a program."""

    key: str  # what the program prints
    title: str
    unit: str
    may_grow: str = LOGARITHMIC
    smallest: int = 0  # smaller sizes say nothing about it


@dataclasses.dataclass
class Program:
    """A program with its variant: `command` for a size, and the curves that come of its runs."""

    name: str
    what: str  # the horizontal axis
    sizes: list
    command: object  # (size, place) -> list
    curves: list
    prepare: object = None  # (size, store) -> list: makes what runs then copy to place/store


def build():
    """Builds all that is run, and returns where."""
    built = Programs(ROOT / ".build" / "bench")
    for source in sorted((HERE / "growth").glob("*.c")):
        built.c(f"growth/{source.stem}")
    built.plugin("growth/growth-plugin", "growth")
    built.plugin("growth/many-plugin", "many", "org.example.many.n000000")
    return built.output


def powers(first, last):
    return [10**n for n in range(first, last + 1)]


def programs(directory, library):
    """All that are measured. `directory` holds the built programs and their plugins."""
    library = str(library)
    growth, many = str(directory / "growth-growth-plugin"), str(directory / "growth-many-plugin")

    def program(name):
        return str(directory / f"growth-{name}")

    result = []
    for variant, title in (("burn", "about 2 µs of work"), ("empty", "no work")):
        result.append(Program(
            f"workers {variant}", "workers", [1, 2, 4, 8],
            lambda size, place, v=variant: [program("workers"), v, size, library, growth],
            [Curve("ns_per_task", f"A task of {title}", "ns",
                   may_grow=LOGARITHMIC if variant == "burn" else PROPORTIONAL)],
        ))
    for variant, title in (("plain", ""), ("own", ", with a payload and a budget of its own")):
        result.append(Program(
            f"pending {variant}", "pending tasks", powers(0, 6),
            lambda size, place, v=variant: [program("pending"), v, size, library, growth],
            [Curve("ns_per_operation", f"Launch and complete one more{title}", "ns"),
             Curve("ns_complete", f"Complete each{title}", "ns", smallest=1000),
             Curve("bytes_each", f"Memory of a pending task{title}", "bytes", smallest=10000)],
        ))
    for variant, title in (("same", "one identifier"), ("different", "an identifier each")):
        result.append(Program(
            f"requests {variant}", "stored requests", powers(0, 6),
            lambda size, place, v=variant: [
                program("requests"), "measure", v, size, library, growth, f"{place}/store"],
            [Curve("us_submit", f"Submit one more, {title}", "µs"),
             Curve("us_keep", f"Submit where one is kept, {title}", "µs"),
             Curve("us_cancel", f"Cancel one, {title}", "µs"),
             Curve("us_query", f"Query one, {title}", "µs"),
             Curve("us_why", f"Ask why one waits, {title}", "µs"),
             Curve("us_list", f"List up to 50, {title}", "µs"),
             Curve("start_ms", f"Make a host on the store, {title}", "ms"),
             Curve("rss_kib", f"Memory of a host on the store, {title}", "KiB")],
            prepare=lambda size, store, v=variant: [
                program("requests"), "prepare", v, size, library, growth, store],
        ))
    result.append(Program(
        "plugins", "plugins", powers(0, 3),
        lambda size, place: [program("plugins"), size, library, many, f"{place}/plugins"],
        [Curve("us_per_plugin", "Scan and load a plugin", "µs"),
         Curve("kib_per_plugin", "Memory of a plugin", "KiB"),
         Curve("ns_find", "Find a handler", "ns"),
         Curve("ns_launch", "Launch by identifier and run", "ns"),
         Curve("ns_launch_at", "Launch by index and run", "ns"),
         Curve("ms_destroy", "Destroy the host", "ms", may_grow=PROPORTIONAL)],
    ))
    payloads = [0, 64, 1 << 10, 1 << 14, 1 << 18, 1 << 20]
    result.append(Program(
        "payload launch", "bytes of payload", payloads,
        lambda size, place: [program("payload"), "launch", size, library, growth],
        [Curve("ns_per_task", "A task with a payload", "ns", may_grow=PROPORTIONAL)],
    ))
    result.append(Program(
        "payload submit", "bytes of payload", payloads,
        lambda size, place: [program("payload"), "submit", size, library, growth, f"{place}/store"],
        [Curve("us_submit", "A durable request with a payload", "µs", may_grow=PROPORTIONAL)],
    ))
    for variant, key, title in (
        ("same", "ns_per_delivery", "A delivery to one of the subscribers of an event"),
        ("different", "ns_per_event", "An event while others subscribe to others"),
    ):
        result.append(Program(
            f"subscribers {variant}", "subscriptions", powers(0, 4),
            lambda size, place, v=variant: [program("subscribers"), v, size, library, growth],
            [Curve(key, title, "ns"),
             Curve("us_subscribe", f"Subscribe, {variant} events", "µs"),
             Curve("us_unsubscribe", f"End a subscription, {variant} events", "µs")],
        ))
    result.append(Program(
        "waits", "open waits", [*powers(0, 4), 50000],
        lambda size, place: [program("waits"), size, library, growth],
        [Curve("us_wait", "One more wait, given up", "µs"),
         Curve("us_event", "An event that none of the waits takes", "µs")],
    ))
    return result


def run(command, limit=TIME_LIMIT_SECONDS):
    """What a program prints, by name. Leaves when the program does not do its work."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        sys.exit(f"\nnot done after {limit} s: {' '.join(command)}")
    if done.returncode != 0:
        sys.exit(f"\n{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-2000:]}")
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


def run_in_place(program, size, stores, places):
    """One run, in a directory of its own, with a copy of the prepared store."""
    with tempfile.TemporaryDirectory(prefix="growth-", dir=places) as place:
        if program.prepare is not None:
            shutil.copytree(stores[program.name, size], f"{place}/store")
            os.sync()  # what the copy left to write must not be written while this is measured
        return run(program.command(size, place))


def prepare(program, size, stores, places):
    """Makes the store a size needs, once."""
    store = Path(places) / re.sub(r"\W+", "-", f"store {program.name} {size}")
    if not store.is_dir():
        run(program.prepare(size, store), limit=1800)
    stores[program.name, size] = store


def measure(wanted, rounds, places, tell=lambda text: None):
    """Runs all sizes of all programs, round after round. A list of {program, what, key, title,
    unit, may_grow, points: [{size, median, min, max, runs}]}."""
    stores, runs = {}, {}
    for program in wanted:
        for size in program.sizes if program.prepare is not None else ():
            tell(f"prepares {program.name} {size:,}")
            prepare(program, size, stores, places)
    for number in range(rounds):
        for program in wanted:
            for size in program.sizes:
                tell(f"round {number + 1} of {rounds}: {program.name} {size:,}")
                printed = run_in_place(program, size, stores, places)
                runs.setdefault((program.name, size), []).append(printed)
    tell("")
    return [
        line(program, curve, runs)
        for program in wanted for curve in program.curves
    ]


def line(program, curve, runs):
    points = []
    for size in program.sizes:
        values = [r[curve.key] for r in runs[program.name, size] if curve.key in r]
        if size < curve.smallest or not values:
            continue
        points.append({
            "size": size, "median": statistics.median(values), "min": min(values),
            "max": max(values), "runs": len(values),
        })
    return {
        "program": program.name, "what": program.what, "key": curve.key, "title": curve.title,
        "unit": curve.unit, "may_grow": curve.may_grow, "points": points,
    }


def exponent(points):
    """The slope of log(value) over log(size) in the last decade, by least squares; None where there
    are not two points in it, or a value is not above 0."""
    if not points:
        return None
    last = [p for p in points if p["size"] >= max(1, points[-1]["size"] / 10)]
    if len(last) < 2 and len(points) > 1:
        last = [p for p in points[-2:] if p["size"] > 0]
    if len(last) < 2 or any(p["median"] <= 0 for p in last):
        return None
    x = [math.log(p["size"]) for p in last]
    y = [math.log(p["median"]) for p in last]
    middle_x, middle_y = statistics.fmean(x), statistics.fmean(y)
    spread = sum((a - middle_x) ** 2 for a in x)
    return sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y)) / spread


def flag(curve):
    """Why a curve must not stay as it is, or None. Each value is compared with those at smaller
    sizes, so that what sinks first and rises then is seen. Ranges that overlap say nothing."""

    def allowed(small, large):
        if curve["may_grow"] == PROPORTIONAL:
            return max(1, large) / max(1, small)
        return max(1.0, math.log(large + 2) / math.log(small + 2))

    worst = None
    for i, large in enumerate(curve["points"]):
        for small in curve["points"][:i]:
            if small["median"] <= 0 or large["min"] <= small["max"]:
                continue
            excess = large["median"] / small["median"] / allowed(small["size"], large["size"])
            if excess > NOISE and (worst is None or excess > worst[0]):
                worst = excess, small, large
    if worst is None:
        return None
    excess, small, large = worst
    return (f"grows {large['median'] / small['median']:.1f} fold from {small['size']:,} to"
            f" {large['size']:,}, {excess:.1f} times what {curve['may_grow']} allows")


def show(curve):
    """Prints the table of one curve."""
    print(f"\n{curve['program']}: {curve['title']} ({curve['key']})")
    print(f"  {curve['what']:>16} {curve['unit']:>12} {'min – max':>25} {'growth':>8}")
    first = curve["points"][0]["median"] if curve["points"] else 0
    for point in curve["points"]:
        span = f"{point['min']:,.1f} – {point['max']:,.1f}"
        growth = f"{point['median'] / first:.2f}" if first > 0 else ""
        print(f"  {point['size']:>16,} {point['median']:>12,.1f} {span:>25} {growth:>8}")
    power = exponent(curve["points"])
    if power is not None:
        print(f"  as size to the power of {power:.2f} at the end")
    why = flag(curve)
    if why is not None:
        print(f"  FLAG: {why}")


def write(curves, output, place, date):
    """Writes growth.json into the directory `output`."""
    output.mkdir(parents=True, exist_ok=True)
    for curve in curves:
        curve["exponent"], curve["flag"] = exponent(curve["points"]), flag(curve)
    text = json.dumps({"machine": place, "date": date, "curves": curves}, indent=2,
                      ensure_ascii=False)
    (output / "growth.json").write_text(text + "\n", encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser(prog="Benchmarks/growth.py", description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--library", type=Path,
                           default=ROOT / ".build" / "release" / "libCurfewHost.so",
                           help="libcurfew (default: the release build's)")
    arguments.add_argument("--sizes-up-to", type=int, default=1000000, metavar="N")
    arguments.add_argument("--requests-up-to", type=int, default=1000000, metavar="N",
                           help="the same for stored requests")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", default="", metavar="NAME",
                           help="only programs whose name begins so")
    arguments.add_argument("--output", type=Path, help="default: .build/growth")
    options = arguments.parse_args()
    if options.rounds < 1 or options.sizes_up_to < 1:
        arguments.error("there must be a round and a size")
    library = options.library.resolve()
    if not library.is_file():
        arguments.error(f"there is no {options.library}: run `make release` first")
    directory = build()
    output = options.output or ROOT / ".build" / "growth"

    wanted = [p for p in programs(directory, library) if p.name.startswith(options.only)]
    for program in wanted:
        limit = options.sizes_up_to
        if program.prepare is not None:
            limit = min(limit, options.requests_up_to)
        # A bound on bytes is none on numbers of things.
        if not program.name.startswith(("payload", "workers")):
            program.sizes = [s for s in program.sizes if s <= limit]

    def tell(text):
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    print(f"Growth, {options.rounds} rounds; load before: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory(prefix="growth-", dir=directory) as places:
        curves = measure(wanted, options.rounds, places, tell)
    for curve in curves:
        show(curve)
    write(curves, output, machine(), time.strftime("%Y-%m-%d"))
    flagged = [curve for curve in curves if curve["flag"]]
    print(f"\n{len(flagged)} of {len(curves)} curves are flagged")
    for curve in flagged:
        print(f"  {curve['program']}, {curve['key']}: {curve['flag']}")


if __name__ == "__main__":
    main()
