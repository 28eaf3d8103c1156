# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the benchmarks' own, and a fresh database of it for each run.

It writes its log through to the disk, as a server does by default. Its directory is in TMPDIR, or in
/var/tmp, which is on a disk where /tmp is in memory. It has a Unix socket only, and ends with this
process, however that ends: its shell waits for the end of a pipe."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import Missing

PLACE = Path("/usr/lib/postgresql")  # Debian's

# Checkpoints come between the runs, where a database is made, and not within them. All else is as
# Debian has it.
SETTINGS = ("fsync=on listen_addresses= max_connections=200 max_wal_size=4GB checkpoint_timeout=30min"
            " shared_buffers=512MB")

SCRIPT = """
cd "$1" && chmod 755 . &&
"$2/initdb" -A trust -U curfew -D "$1/data" --locale=C.UTF-8 -E UTF8 > "$1/log" 2>&1 &&
"$2/pg_ctl" -D "$1/data" -l "$1/log" -w -s -o "-k $1 $3" start > /dev/null && echo ready || exit 1
cat > /dev/null
"$2/pg_ctl" -D "$1/data" -m immediate -s stop
rm -rf "$1"
"""


def installed():
    """The directory of the newest server's programs. Raises Missing where there is none of version 15 or
    later."""
    versions = [int(each.name) for each in PLACE.glob("*") if re.fullmatch(r"\d+", each.name)
                and os.access(each / "bin/postgres", os.X_OK)]
    if not versions or max(versions) < 15:
        raise Missing("PostgreSQL server, version 15 or later")
    return PLACE / str(max(versions)) / "bin"


class Server:
    """A running server."""

    def __init__(self):
        self.programs = installed()
        self.directory = tempfile.mkdtemp(
            prefix="curfew-bench-", dir=os.environ.get("TMPDIR") or "/var/tmp")
        other = []
        if os.geteuid() == 0:  # it refuses to run as root
            shutil.chown(self.directory, "nobody", "nogroup")
            other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        settings = " ".join(f"-c {each}" for each in SETTINGS.split(" "))
        # In a session of its own, where Ctrl-C does not reach it before its pipe ends.
        self.process = subprocess.Popen(
            [*other, "sh", "-c", SCRIPT, "sh", self.directory, str(self.programs), settings],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        if self.process.stdout.readline() != b"ready\n":
            log = Path(self.directory, "log").read_text("utf-8", "replace")
            self.close()
            shutil.rmtree(self.directory, ignore_errors=True)
            sys.exit(f"bench: PostgreSQL does not start: {log[-2000:]}")

    def close(self):
        """Stops the server and removes its directory."""
        self.process.stdin.close()
        self.process.wait()

    def connect(self, database="bench"):
        """What libpq connects with."""
        return f"postgresql://curfew@/{database}?host={self.directory}"

    def store(self, parameters=""):
        """The URL of a store of Curfew's."""
        return self.connect() + parameters

    def run(self, statements, database="postgres"):
        """Runs statements one by one, each in a transaction of its own; returns the output."""
        command = [str(self.programs / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1",
                   self.connect(database)]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: psql: {done.stderr.strip()}")
        return done.stdout

    def fresh(self, template="template0"):
        """Makes the database of the next run, empty or as a copy."""
        self.run(["DROP DATABASE IF EXISTS bench WITH (FORCE)",
                  f"CREATE DATABASE bench TEMPLATE {template} STRATEGY file_copy", "CHECKPOINT"])

    def keep(self, name):
        """Keeps the database of this run as a template with that name."""
        self.run([f"ALTER DATABASE bench RENAME TO {name}"])

    def fill(self, table, count):
        """Fills a table that has one row with copies of it, which differ in their ids only, until there
        are that many."""
        columns = self.run([
            "SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) FROM"
            " information_schema.columns WHERE table_schema || '.' || table_name ="
            f" '{table}' AND column_name <> 'id'"], "bench").strip()
        schema = table.partition(".")[0]
        self.run([f"INSERT INTO {table} (id, {columns})"
                  f" SELECT nextval('{schema}.request_id'), {columns} FROM {table},"
                  f" generate_series(2, {count})",
                  "VACUUM (FREEZE, ANALYZE)"], "bench")
