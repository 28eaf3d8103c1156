#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows what Curfew does, on real work: a database is checked and copied, a tree of files is
# mirrored by a task whose time runs out, and by one that carries on; then a plugin is looked at by
# the conformance kit. Wants curfew in PATH, sqlite3,
# and the plugins in .build/plugins (`make demo` sees to it). Leaves with 0 only if every task ended
# as it should and every check holds; what it makes is removed at the end.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

documents=27000
directories=80
files_each=50
large_files=3
# A thorough copy of the tree takes several times as long on a fast machine.
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

for tool in curfew sqlite3 sha256sum diff; do
    command -v "$tool" >/dev/null || die "there is no $tool in PATH; run make demo"
done
for plugin in sqlite-care mirror; do
    [ -e "$root/.build/plugins/$plugin/manifest.json" ] || die "the plugin $plugin is not built: make plugins"
done

work=$(mktemp -d "${TMPDIR:-/tmp}/curfew-demo.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"
ln -s "$root/.build/plugins" plugins
export CURFEW_PLUGIN_PATH=plugins

title() { printf '\n%s── %s ──%s\n' "$bold" "$1" "$plain"; }

# Shows a command, runs it, and takes its time in milliseconds: show COMMAND…
show() {
    printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
    local begin=$EPOCHREALTIME
    status=0
    "$@" || status=$?
    milliseconds=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
}

# The same for a command whose exit status has to be the first argument.
expect() {
    local wanted=$1
    shift
    show "$@"
    [ "$status" -eq "$wanted" ] || die "'$*' left with $status, which should be $wanted"
}

seconds() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }
megabytes() { printf '%d MB' $(($(stat -c %s "$1") / 1000000)); }
count_files() { find "$1" -type f | wc -l; }

checks=()
# check TEXT COMMAND…: the command has to succeed.
check() {
    local text=$1
    shift
    "$@" || die "this does not hold: $text"
    checks+=("$text")
}

# --- Something to work on ------------------------------------------------------------------------

title "something to work on"
sqlite3 app.db >/dev/null <<SQL
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE documents(id INTEGER PRIMARY KEY, name TEXT, content BLOB);
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < $documents)
INSERT INTO documents SELECT i, 'document ' || i, randomblob(8000) FROM number;
CREATE INDEX documents_by_name ON documents(name);
DELETE FROM documents WHERE id % 20 = 0;
SQL
for ((d = 0; d < directories; d++)); do
    printf -v name 'source/%02d' "$d"
    mkdir -p "$name"
    for ((f = 0; f < files_each; f++)); do
        printf 'letter %d of directory %d\n%*s\n' "$f" "$d" $((f * 40)) . >"$name/letter-$f.txt"
    done
done
for ((f = 0; f < large_files; f++)); do
    head -c 8000000 /dev/urandom >"source/recording-$f.bin"
done
cat >care.json <<JSON
{
  "database": "$work/app.db",
  "snapshot": "$work/snapshot.db"
}
JSON
cat >mirror.json <<JSON
{
  "from": "$work/source",
  "to": "$work/mirror"
}
JSON
mkdir mirror
all_files=$(count_files source)
database_sum=$(sha256sum <app.db)
rows=$(sqlite3 -readonly app.db 'SELECT count(*) FROM documents')
printf 'app.db   %s, %d documents of 8 kB\n' "$(megabytes app.db)" "$rows"
printf 'source/  %d files in %d directories, %d MB\n' "$all_files" "$directories" \
    "$(($(du -sb source | cut -f1) / 1000000))"

title "which plugins are there, and what they handle"
expect 0 curfew plugins

# --- The tasks -----------------------------------------------------------------------------------

title "a database: check it, and write a compact copy of it"
expect 0 cat care.json
expect 0 curfew run org.curfew.sqlite-care --payload @care.json
care_time=$milliseconds
check "app.db is byte for byte what it was" \
    test "$database_sum" = "$(sha256sum <app.db)"
check "snapshot.db is sound and has all $rows documents" \
    test "$(sqlite3 -readonly snapshot.db 'PRAGMA integrity_check; SELECT count(*) FROM documents')" \
    = "$(printf 'ok\n%d' "$rows")"

title "a mirror that has $short_budget: told to stop, it answers within its grace"
expect 0 cat mirror.json
expect 124 curfew run org.curfew.mirror --payload @mirror.json --budget "$short_budget"
short_time=$milliseconds
first_files=$(count_files mirror)
[ "$first_files" -lt "$all_files" ] || die "the first mirror was complete; its budget is too long"
# Only what is still lacking may differ.
check "what the expired mirror left is complete, file by file" \
    test -z "$(diff -rq source mirror | grep -v '^Only in source')"

title "the same again with all its time: it carries on"
expect 0 curfew run org.curfew.mirror --payload @mirror.json
full_time=$milliseconds
check "mirror/ equals source/ (diff -r)" diff -r source mirror

title "a plugin keeps the contract, as far as its first run shows"
expect 0 curfew conform plugins/sqlite-care --level 1

# --- What came of it -----------------------------------------------------------------------------

title "what came of it"
row() { printf '%-12s  %-7s  %-9s  %6s  %s\n' "$@"; }
printf '\n'
row "TASK" "BUDGET" "OUTCOME" "TIME" "WHAT IT DID"
row "sqlite-care" "10 min" "succeeded" "$(seconds $care_time)" \
    "checked $(megabytes app.db), wrote $(megabytes snapshot.db)"
row "mirror" "${short_budget%ms} ms" "expired" "$(seconds $short_time)" \
    "$first_files of $all_files files, then it answered"
row "mirror again" "10 min" "succeeded" "$(seconds $full_time)" \
    "the other $((all_files - first_files)) files"
printf '\n'
for text in "${checks[@]}"; do printf 'ok  %s\n' "$text"; done
