# SPDX-License-Identifier: Apache-2.0
"""Prints the Python module: the template beside this file, with what the headers declare.

    generate.py INCLUDE_DIRECTORY

The C compiler that preprocesses the headers is $CC, or gcc."""
import os
import pathlib
import re
import shlex
import subprocess
import sys


def declarations(include: pathlib.Path) -> str:
    """Returns all headers as the C compiler preprocesses them, without the C library's."""
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    header = include / "curfew" / "curfew.h"
    text = subprocess.run(
        [*compiler, "-E", "-std=c11", "-I", str(include), str(header)],
        stdout=subprocess.PIPE, check=True).stdout.decode()
    own, inside = [], False
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            inside = marker[1].startswith(f"{include}/curfew/")
        elif inside and line.strip():
            own.append(line.rstrip())
    # A plugin defines this function, not the library.
    return re.sub(r"curfew_status curfew_plugin_entry\([^;]*;\n?", "", "\n".join(own))


def enumerations(declared: str) -> str:
    """A class for each typedef that is followed by its constants."""
    classes = []
    for sign, name, body in re.findall(
            r"typedef (u?)int32_t curfew_(\w+);\s*enum\s*\{(.*?)\};", declared, re.DOTALL):
        constants = re.findall(r"(CURFEW_\w+) = (\d+)", body)
        words = os.path.commonprefix([constant for constant, _ in constants])
        prefix = words[:words.rindex("_") + 1]
        rows = [f"    {constant[len(prefix):]} = {value}" for constant, value in constants]
        title = "".join(word.capitalize() for word in name.split("_"))
        classes.append(
            # Unsigned constants are to be combined.
            f'class {title}(enum.{"IntFlag" if sign else "IntEnum"}):\n    """curfew_{name}"""\n\n' + "\n".join(rows))
    return "\n\n\n".join(classes)


def constant(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"generate.py: version.h has nothing like {pattern}")
    return found[1]


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: generate.py INCLUDE_DIRECTORY")
    include = pathlib.Path(sys.argv[1])
    version = (include / "curfew" / "version.h").read_text()
    declared = declarations(include)
    values = {
        "@ENUMERATIONS@": enumerations(declared),
        "@DECLARATIONS@": declared,
        "@VERSION@": constant(version, r'CURFEW_VERSION_STRING "([0-9.]+)"'),
        "@SOVERSION@": constant(version, r"CURFEW_VERSION_MAJOR (\d+)"),
        "@ABI@": constant(version, r"CURFEW_ABI_VERSION = (\d+)"),
    }
    text = pathlib.Path(__file__).with_name("curfew.py.in").read_text()
    for name, value in values.items():
        text = text.replace(name, value)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
