#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes many plugins of one.

    prepare.py LIBRARY DESCRIPTION DIRECTORY [COUNT]

DIRECTORY, which must not exist, gets COUNT directories (default 200), 000, 001 and so on, each with
a copy of LIBRARY and of DESCRIPTION, a manifest.json or a .plugin file. Wherever `load000` stands in
either, in any spelling, or in the name of DESCRIPTION, the copy has its own number for the 000; the
library is called libload000.so accordingly. So every copy has an id, an identifier and a content of
its own, and is a file of its own for the loader.
"""

import os
import re
import shutil
import sys


def numbered(content, number):
    return re.sub(rb"(?i)(load[ .]?)000", lambda found: found[1] + b"%03d" % number, content)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: prepare.py LIBRARY DESCRIPTION DIRECTORY [COUNT]")
    library, description, directory = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) == 5 else 200
    if not 1 <= count <= 1000:
        sys.exit("prepare.py: from 1 to 1000 plugins")
    os.umask(0o022)  # a host loads nothing that others could write to
    os.makedirs(directory)
    for number in range(count):
        place = os.path.join(directory, "%03d" % number)
        os.mkdir(place)
        for source, name in (
            (library, b"libload000.so"),
            (description, os.fsencode(os.path.basename(description))),
        ):
            copy = os.path.join(place, os.fsdecode(numbered(name, number)))
            with open(source, "rb") as file:
                content = file.read()
            if b"000" not in numbered(content, 0) or numbered(content, 1) == content:
                sys.exit(f"prepare.py: no number in {source}")
            with open(copy, "wb") as file:
                file.write(numbered(content, number))
            shutil.copymode(source, copy)


main()
