# SPDX-License-Identifier: Apache-2.0
"""Runs a program while another session of the server holds a snapshot from before it.

    beside-snapshot.py PSQL URL PROGRAM [ARGUMENT…]

A dump holds one, and so does a transaction that was never ended. While it is held, the server keeps
every row that the program updates or deletes."""

import subprocess
import sys

psql, url, *command = sys.argv[1:]
with subprocess.Popen([psql, "-XqAt", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                      text=True) as session:
    session.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ;\n"
                        "SELECT 'holds' FROM (SELECT count(*) FROM curfew.request) AS counted;\n")
    session.stdin.flush()
    if session.stdout.readline() != "holds\n":
        sys.exit("beside-snapshot: no snapshot was taken")
    status = subprocess.run(command, check=False).returncode
    session.stdin.close()
sys.exit(status)
