#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows what Curfew does, on real work: a task checks and copies a database, the same task runs out of
# time, a plugin crashes and everything else goes on, a request waits for the night and says why, and a
# service launches what a file says. Wants
# curfew in PATH, sqlite3, and the plugins sqlite-care in .build/plugins and crashing in .build/demo
# (`make demo` sees to it). Exits with 0 only if every task ended as it
# should and every check holds; removes at the end what it made.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

documents=27000
# A copy of the database takes several times as long on a fast machine.
short_budget=100ms

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' plain=$'\e[0m'
else
    bold='' plain=''
fi

die() {
    printf 'demo: %s\n' "$1" >&2
    exit 1
}

for tool in curfew sqlite3 sha256sum; do
    command -v "$tool" >/dev/null || die "there is no $tool in PATH; run make demo"
done
for plugin in plugins/sqlite-care demo/crashing; do
    [ -e "$root/.build/$plugin/manifest.json" ] || die "the plugin ${plugin#*/} is not built; run make demo"
done

work=$(mktemp -d "${TMPDIR:-/tmp}/curfew-demo.XXXXXX")
host=''
trap 'if [ -n "$host" ]; then kill "$host" 2>/dev/null || true; fi; rm -rf -- "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"
ln -s "$root/.build/plugins" plugins
ln -s "$root/.build/demo" demo
export CURFEW_PLUGIN_PATH=plugins:demo CURFEW_STORE=store

title() { printf '\n%s── %s ──%s\n' "$bold" "$1" "$plain"; }

# Shows a command and runs it; its exit status has to be the first argument.
expect() {
    local wanted=$1 status=0
    shift
    printf '%s$ %s%s\n' "$bold" "$*" "$plain"
    "$@" || status=$?
    [ "$status" -eq "$wanted" ] || die "'$*' exited with $status, which should be $wanted"
}

# check TEXT COMMAND…: the command has to succeed.
check() {
    local text=$1
    shift
    "$@" || die "this does not hold: $text"
    printf '%sok%s  %s\n' "$bold" "$plain" "$text"
}

sqlite3 app.db >/dev/null <<SQL
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE documents(id INTEGER PRIMARY KEY, name TEXT, content BLOB);
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < $documents)
INSERT INTO documents SELECT i, 'document ' || i, randomblob(8000) FROM number;
CREATE INDEX documents_by_name ON documents(name);
DELETE FROM documents WHERE id % 20 = 0;
SQL
printf '{"database": "%s/app.db", "snapshot": "%s/snapshot.db"}\n' "$work" "$work" >care.json
before=$(sha256sum <app.db)
rows=$(sqlite3 -readonly app.db 'SELECT count(*) FROM documents')

title "a task: check a database of $(($(stat -c %s app.db) / 1000000)) MB, and write a compact copy"
expect 0 curfew run org.curfew.sqlite-care --payload @care.json
check "app.db is what it was; snapshot.db is sound and has all $rows documents" \
    test "$before $(sqlite3 -readonly snapshot.db 'PRAGMA integrity_check; SELECT count(*) FROM documents' | xargs)" \
    = "$(sha256sum <app.db) ok $rows"
snapshot=$(sha256sum <snapshot.db)

title "the same with a budget of $short_budget: it expires, and has a grace to end"
expect 124 curfew run org.curfew.sqlite-care --payload @care.json --budget "$short_budget"
check "the snapshot of the first run is as it was" test "$snapshot" = "$(sha256sum <snapshot.db)"

title "a plugin that crashes in its process, beside one that does not"
export CURFEW_STORE=beside
rm snapshot.db
curfew serve >served &
host=$!
until [ -s served ]; do
    kill -0 "$host" 2>/dev/null || die "the host has not started"
    sleep 0.05
done
expect 0 curfew submit org.curfew.crashing
expect 0 curfew submit org.curfew.sqlite-care --payload @care.json
expect 101 curfew wait 1
expect 0 curfew wait 2
kill "$host"
wait "$host" || die "the host has not ended in order"
host=''
check "the host and the other plugin went on, and there is a snapshot again" \
    test "$snapshot" = "$(sha256sum <snapshot.db)"
export CURFEW_STORE=store

title "a request for tonight, which outlives a crash: why has it not run?"
expect 0 curfew submit org.curfew.sqlite-care --at 03:00 --needs network --payload @care.json
expect 0 curfew why 1

title "the service: schedules in a file, launched by a host that says how it is"
export XDG_CONFIG_HOME=$work/config
mkdir -p config/curfew
printf '{"schedules": [{"name": "notes", "cron": "0 3 * * *", "command": ["/bin/cp", "%s", "%s"]}]}\n' \
    "$work/care.json" "$work/notes.json" >config/curfew/curfew.json
expect 0 curfew serve --check
curfew serve >served &
host=$!
until grep -q serving served; do
    kill -0 "$host" 2>/dev/null || die "the host has not started"
    sleep 0.05
done
expect 0 curfew health
expect 0 curfew launch 2
until curfew schedules --json | grep -q '"last":"succeeded"'; do sleep 0.05; done
expect 0 curfew schedules
check "the program of the schedule has run" cmp care.json notes.json

# A person can look at it meanwhile.
if [ -t 0 ] && [ -t 1 ]; then
    title "the same at a glance: in a terminal, and on a page for a browser"
    expect 0 curfew top --once
    expect 0 curfew web
    printf 'Open the link, if you like; Enter goes on.'
    read -r -t 300 _ || echo
fi
expect 0 curfew drain --timeout 10s
kill "$host"
wait "$host" || die "the host has not ended in order"
host=''

title "what to type next"
cat <<END
make packages && make && sudo make install   install all of Curfew, and then:
curfew submit --cron '0 3 * * *' -- PROGRAM  a program of yours, every night
curfew serve                                 the host that runs it
curfew new my-plugin                         a plugin that builds and tests itself
curfew help                                  what the command can do
END
