#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts plugins that the kit does not know through it, and compares what it says with what it has to say.

A plugin is one file, NAME.c, NAME.cpp or NAME.rs. Its first comment has lines `key: value`:

    says   nothing; or the codes of which at least one has to be among the kit's findings; or any
    level  the least level that has to find it; 2 without the line
    race   why it is not found each time
    unseen why the kit does not find it
    flags  more words for the compiler

A manifest of its own is NAME.json; the others have manifest.json. Each is built into .build/strangers/NAME.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
C_FLAGS = ["-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-pthread",
           f"-I{ROOT}/include", f"-I{HERE}", "-Wl,-z,defs", f"-Wl,--version-script={ROOT}/Plugins/plugin.map",
           "-Wl,-soname,libstranger.so"]
COMPILERS = {".c": ["gcc", "-std=gnu11"], ".cpp": ["g++", "-std=c++20"],
             ".rs": ["rustc", "--edition", "2021", "--crate-type", "cdylib", "-O", "-C", "panic=abort"]}
LIMIT = 600  # seconds of a run of the kit


class Stranger:
    def __init__(self, file, output):
        self.file, self.name, self.directory = file, file.stem, output / file.stem
        head = file.read_text("utf-8")
        head = head[:head.find("\n\n")] if file.suffix == ".rs" else head.split("*/", 2)[1] if head.count("*/") > 1 else head
        keys = dict(re.findall(r"^\s*(?:\*|//)?\s*(says|level|race|unseen|flags): +(.+?)\s*$", head, re.MULTILINE))
        if "says" not in keys:
            sys.exit(f"{file}: its first comment does not say what the kit has to say")
        self.codes = [] if keys["says"] == "nothing" else keys["says"].split()
        self.level = int(keys.get("level", 2))
        self.race, self.unseen = keys.get("race"), keys.get("unseen")
        self.flags = shlex.split(keys.get("flags", ""))

    def build(self):
        """Returns what the compiler said if it refused."""
        self.directory.mkdir(parents=True, exist_ok=True)
        own = self.file.with_suffix(".json")
        manifest = (own if own.exists() else HERE / "manifest.json").read_text("utf-8")
        (self.directory / "manifest.json").write_text(manifest, "utf-8")
        library = self.directory / "libstranger.so"
        sources = [self.file, HERE / "stranger.h", HERE / "strangers.py", *(ROOT / "include").rglob("*.h")]
        if library.exists() and library.stat().st_mtime > max(each.stat().st_mtime for each in sources):
            return None
        flags = [] if self.file.suffix == ".rs" else C_FLAGS
        # Never written in place: somebody may have it loaded.
        new = library.with_suffix(".new")
        done = subprocess.run([*COMPILERS[self.file.suffix], *flags, "-o", new, self.file, *self.flags],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        new.rename(library)
        return None

    def judge(self, curfew, level):
        """Returns the findings: codes with their texts."""
        done = subprocess.run([curfew, "conform", self.directory, "--level", str(max(level, self.level)), "--json"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=LIMIT, check=False)
        if done.returncode not in (0, 1, 4):
            return {"kit": f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"}
        found = {}
        for plugin in json.loads(done.stdout)["plugins"]:
            for case in plugin["cases"]:
                if case["status"] not in ("pass", "skip"):
                    found.setdefault(case["code"], f"{case['name']} ({case['status']}): {case['text']}")
        return found

    def verdict(self, found):
        """Nil if the kit was right, or what is wrong with what it said. A warning accuses nobody."""
        if not self.codes:
            found = {code: text for code, text in found.items() if " (warn): " not in text}
        if "kit" in found:
            return f"the kit failed: {found['kit']}"
        if not self.codes:
            return None if not found else "accused: " + "; ".join(f"{code} {text}" for code, text in found.items())
        if not found:
            return f"missed: {' or '.join(self.codes)}"
        if self.codes != ["any"] and not set(self.codes) & set(found):
            return f"not for {' or '.join(self.codes)}, but " + "; ".join(f"{code} {text}" for code, text in found.items())
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="of plugins, or parts of them; all without")
    parser.add_argument("--curfew", default=ROOT / ".build/debug/curfew")
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--build", action="store_true", help="build only")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1, help="the verdicts of all of them have to be the same, but for races")
    parser.add_argument("--load", type=int, default=0, help="busy loops beside them")
    options = parser.parse_args()
    files = sorted(each for each in HERE.rglob("*") if each.suffix in COMPILERS)
    strangers = [Stranger(each, ROOT / ".build/strangers") for each in files
                 if not options.names or any(name in each.stem for name in options.names)]
    twice = [name for name, count in collections.Counter(each.name for each in strangers).items() if count > 1]
    if twice:
        sys.exit(f"two plugins have the name {twice[0]}")
    for name in options.names:
        if not any(name in each.stem for each in files):
            sys.exit(f"no plugin has {name} in its name")

    def run(stranger):
        said = stranger.build()
        if said is not None:
            return stranger, f"not built: {said.strip()[:600]}"
        if options.build:
            return stranger, None
        try:
            return stranger, stranger.verdict(stranger.judge(options.curfew, options.level))
        except subprocess.TimeoutExpired:
            return stranger, f"the kit took more than {LIMIT} s"

    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.load)]
    try:
        wrong, verdicts = 0, {}
        for number in range(1, options.runs + 1):
            if options.runs > 1:
                print(f"run {number} of {options.runs}", flush=True)
            wrong += once(strangers, run, options.at_once, verdicts)
    finally:
        for loop in loops:
            loop.kill()
    for name, seen in verdicts.items():
        if len(set(seen)) > 1:
            print(f"{name}: not the same in each run: {', '.join(seen)}")
    return 1 if wrong else 0


def once(strangers, run, at_once, verdicts):
    """Tries each once, prints what the kit got wrong, and the number of those that it got right by language and
    kind. Returns how many it got wrong."""
    wrong, tally, missed = 0, collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for stranger, problem in pool.map(run, strangers):
            kind = f"{stranger.file.suffix[1:]:4} {'bad ' if stranger.codes else 'good'}"
            word = "right" if problem is None else problem.split(":", 1)[0].split(" ", 1)[0]
            verdicts.setdefault(stranger.name, []).append(word)
            known = word == "missed" and (stranger.race or stranger.unseen)
            tally[kind, "known to be missed" if known else "right" if problem is None else "wrong"] += 1
            if known:
                missed.append(stranger.name)
            elif problem:
                wrong += 1
                print(f"{stranger.name}: {problem}", flush=True)
    for kind in sorted({kind for kind, _ in tally}):
        counts = [f"{tally[kind, word]} {word}" for word in ("right", "known to be missed", "wrong") if tally[kind, word]]
        print(f"{kind}  {', '.join(counts)}", flush=True)
    if missed:
        print(f"known to be missed: {', '.join(missed)}", flush=True)
    return wrong


if __name__ == "__main__":
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    sys.exit(main())
