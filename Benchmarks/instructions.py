# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of single operations with callgrind and holds them against
instructions/thresholds.txt: unlike time, they are the same on a busy machine.

    python3 Benchmarks/instructions.py [--library LIBRARY] [--update]

An operation fails that costs more than its threshold and the margin, both numbers shown. --update
writes the counts of today as the new thresholds, for a change that is worth it. They hold for one
toolchain, one architecture and the system libraries of one Debian."""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import HERE, ROOT, Programs

THRESHOLDS = HERE / "instructions" / "thresholds.txt"
MARGIN = 0.10
OPERATIONS = {
    "launch": "launch a task",
    "run": "run it to its success",
    "complete": "run it, completed by its function",
    "arm": "run it until it is pending",
    "finish": "complete a pending one",
    "raise": "raise an event of two parameters",
    "deliver": "deliver it to a C function",
    "submit": "submit a request to a store on disk",
}
HEADING = """# Instructions of one operation, as callgrind counts them; written by
# python3 Benchmarks/instructions.py --update, which also explains them.
"""


def count(operation, driver, library, plugin):
    """Instructions of one operation."""
    with tempfile.TemporaryDirectory(prefix="count-") as place:
        out = f"{place}/callgrind.out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}",
             driver, operation, library, plugin, f"{place}/store"],
            capture_output=True, text=True, check=False, timeout=600)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    made = re.search(r"operations (\d+)", done.stdout)
    if done.returncode != 0 or collected is None or made is None:
        sys.exit(f"instructions: {operation}: status {done.returncode}\n{done.stderr[-2000:]}")
    return int(collected[1]) / int(made[1])


def thresholds():
    lines = THRESHOLDS.read_text(encoding="utf-8").splitlines() if THRESHOLDS.exists() else []
    pairs = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: float(value) for name, value in pairs}


def main():
    parser = argparse.ArgumentParser(
        prog="instructions", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path,
                        default=ROOT / ".build" / "release" / "libCurfewHost.so",
                        help="libcurfew (default: the release build's)")
    parser.add_argument("--update", action="store_true", help="write the thresholds anew")
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"there is no {options.library}: run `make release` first, or name another")
    for tool in ("valgrind", "objcopy"):
        if shutil.which(tool) is None:
            parser.error(f"there is no {tool}: run `make test-packages` first")
    if platform.machine() != "x86_64":
        print(f"instructions: the thresholds are of x86_64, not of {platform.machine()}: not run")
        return

    programs = Programs(ROOT / ".build" / "bench")
    driver = programs.c("instructions/driver")
    plugin = programs.plugin("instructions/count-plugin", "count")
    # Valgrind cannot read what Swift says about itself for debuggers.
    library = str(programs.output / "libcurfew-plain.so")
    subprocess.run(["objcopy", "--strip-debug", str(options.library.resolve()), library], check=True)
    expected, found, worse = thresholds(), {}, []
    print(f"{'instructions of one operation':<39} {'now':>9} {'threshold':>10} {'change':>8}")
    for operation, what in OPERATIONS.items():
        found[operation] = count(operation, driver, library, plugin)
        limit = expected.get(operation)
        change = f"{found[operation] / limit - 1:+8.1%}" if limit else ""
        shown = f"{limit:,.0f}" if limit else "none"
        print(f"  {what:<37} {found[operation]:>9,.0f} {shown:>10} {change}")
        if limit is None or found[operation] > limit * (1 + MARGIN):
            worse.append(f"{operation} costs {found[operation]:,.0f} instructions, and {shown} with"
                         f" a margin of {MARGIN:.0%} are allowed")
    if options.update:
        lines = [f"{name} {value:.0f}" for name, value in found.items()]
        THRESHOLDS.write_text(HEADING + "\n".join(lines) + "\n", encoding="utf-8")
    elif worse:
        sys.exit("instructions: " + "; ".join(worse)
                 + f". Find out why, or, where it is worth that, write {THRESHOLDS.name} anew with"
                 " --update.")


if __name__ == "__main__":
    main()
