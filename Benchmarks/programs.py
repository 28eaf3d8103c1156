# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that are measured: ours, the peers' and the limits, with one compiler and the
same flags. What a peer needs and is not there leaves that peer out, with a word about it."""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

COMMON = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'include'}"]
PLUGIN = ["-fPIC", "-shared", "-fvisibility=hidden",
          f"-Wl,--version-script={ROOT / 'Plugins' / 'plugin.map'}"]


class Missing(Exception):
    """What a program needs is not on this machine."""


def machine():
    """The machine that this runs on, in a line."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info
                          if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{os.cpu_count()} cores, {model}, Linux {platform.release()}"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {shlex.join(map(str, command))}\n{done.stderr.strip()}")
    return done.stdout


class Programs:
    """Whatever was built, in a directory of its own; built again when a source is newer."""

    def __init__(self, output):
        self.output = output
        output.mkdir(parents=True, exist_ok=True)
        swiftc = shutil.which("swiftc")
        if swiftc is None:
            sys.exit("bench: no swiftc on the PATH: put the Swift toolchain's usr/bin there")
        self.swiftc = swiftc
        about = json.loads(run([swiftc, "-print-target-info"]))
        self.compiler = about["compilerVersion"]
        self.resources = Path(about["paths"]["runtimeResourcePath"])
        self.clang = self.resources.parent.parent / "bin" / "clang"
        if not self.clang.exists():
            sys.exit(f"bench: no clang beside swiftc ({self.clang}): install the whole toolchain")
        self.missing = set()

    # --- Languages --------------------------------------------------------------------------------

    def c(self, name, packages=(), flags=()):
        """The program of <name>.c or <name>.cpp. Raises Missing where a package is not there."""
        source = HERE / f"{name}.c"
        compiler = [str(self.clang), "-std=gnu11"]
        if not source.exists():
            source = source.with_suffix(".cpp")
            compiler = [str(self.clang) + "++", "-std=c++17"]
        return self.build(name, source, lambda target: [
            *compiler, *COMMON, str(source), "-o", target, *self.flags_of(packages), *flags])

    def dispatch(self, name):
        """A program for libdispatch as the Swift toolchain has it."""
        lib = self.resources / "linux"
        return self.c(name, flags=["-isystem", str(self.resources), f"-L{lib}", "-ldispatch",
                                   f"-Wl,-rpath,{lib}"])

    def swift(self, name, flags=()):
        source = HERE / f"{name}.swift"
        suffix = "".join(flags)
        return self.build(name + suffix, source, lambda target: [
            self.swiftc, "-O", *flags, str(source), "-o", target])

    def library(self, name, flags, packages=(), source=None):
        """A shared object of <name>.c, or of another source."""
        source = HERE / (source or f"{name}.c")
        return self.build(f"{name}.so", source, lambda target: [
            str(self.clang), "-std=gnu11", *COMMON, *flags, str(source), "-o", target,
            *self.flags_of(packages)])

    def plugin(self, directory, library, identifier=None):
        """A directory with the plugin of <directory>/<library>.c, as a host loads it; with an
        identifier, that of empty.c, whose one handler has it."""
        name = f"{directory}/{library}"
        built = (self.library(name, [*PLUGIN, f'-DIDENTIFIER="{identifier}"'], source="empty.c")
                 if identifier else self.library(name, PLUGIN))
        target = self.output / directory.replace("/", "-")
        target.mkdir(exist_ok=True)
        for source, name in ((Path(built), f"lib{library}.so"),
                             (HERE / directory / "manifest.json", "manifest.json")):
            copy = target / name
            if not source.exists():
                continue
            if not copy.exists() or copy.stat().st_mtime < source.stat().st_mtime:
                shutil.copy(source, copy)
        return str(target)

    def python(self, package, version, *others):
        """A directory with a package of PyPI and with others, for PYTHONPATH."""
        # Of package[extra] without the brackets, which some packages take for a pattern.
        target = self.output / re.sub(r"\W+", "-", f"{package}-{version}")
        if not target.is_dir():
            done = subprocess.run(
                [self.interpreter, "-m", "pip", "--quiet", "--disable-pip-version-check", "install",
                 "--target", str(target), f"{package}=={version}", *others],
                capture_output=True, text=True, check=False)
            if done.returncode != 0:
                shutil.rmtree(target, ignore_errors=True)
                raise Missing(f"{package} of PyPI")
        return str(target)

    @property
    def interpreter(self):
        """Python itself, not a script that looks for one."""
        return str(Path(sys.executable).resolve())

    # --- Building ---------------------------------------------------------------------------------

    def flags_of(self, packages):
        flags = []
        for package in packages:
            done = subprocess.run(["pkg-config", "--cflags", "--libs", package],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Missing(package)
            # What is not ours may warn.
            flags += [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag
                      for flag in shlex.split(done.stdout)]
        return flags

    def build(self, name, source, command):
        target = self.output / name.replace("/", "-")
        inputs = [source, *source.parent.glob("*.h"), *source.parent.glob("*/*.h"),
                  *HERE.glob("*.h"), *HERE.glob("dispatch/*.h"),
                  *ROOT.glob("include/curfew/**/*.h")]
        newest = max(path.stat().st_mtime for path in inputs)
        if not target.exists() or target.stat().st_mtime < newest:
            run(command(str(target)))
        return str(target)
