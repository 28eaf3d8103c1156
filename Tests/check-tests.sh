#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails when a test exists that would not be run: a function with @Test that the runner does not
# list (left out by a condition, in a file of no target, …), or a `func test…()` without @Test, which
# only XCTest would have found. Wants the tests to be built: swift build --build-tests.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Module, function, place; a test target's module has the name of its directory. What stands in
# comments and texts does not count.
find Tests -name '*.swift' -print0 | sort -z | xargs -0 -r awk '
    BEGIN { OFS = "\t" }
    FNR == 1 {
        split(FILENAME, part, "/")
        module = part[2]; file = FILENAME; pending = 0; text = 0; comment = 0
    }
    {
        line = $0
        quotes = gsub(/"""/, "\"\"\"", line)
        if (text) { if (quotes % 2) text = 0; next }
        if (comment) { if (index(line, "*/")) comment = 0; next }
        if (quotes % 2) { text = 1; sub(/""".*/, "", line) }
        gsub(/"([^"\\]|\\.)*"/, "", line)
        gsub(/\/\*.*\*\//, "", line)
        sub(/\/\/.*/, "", line)
        if (sub(/\/\*.*/, "", line)) comment = 1
        if (line ~ /(^|[^A-Za-z0-9_`])@Test([^A-Za-z0-9_]|$)/) pending = 1
        if (!match(line, /(^|[^A-Za-z0-9_`])func[ \t]+(`[^`]*`|[A-Za-z_][A-Za-z0-9_]*)/)) next
        name = substr(line, RSTART, RLENGTH)
        rest = substr(line, RSTART + RLENGTH)
        sub(/^.*func[ \t]+/, "", name)
        gsub(/`/, "", name)
        if (pending) print "test", module, name, file ":" FNR
        else if (name ~ /^test([^a-z]|$)/ && rest ~ /^\(\)/) print "bare", module, name, file ":" FNR
        pending = 0
    }' >"$work/sources"

# Module.Suite/Suite/function(labels:), where a name with spaces stands in backticks.
for bundle in .build/debug/*.xctest; do
    "$bundle" --testing-library swift-testing --list-tests >"$work/list"
done
sed -n -e 's/^\([A-Za-z0-9_]*\)\.\(.*\/\)\{0,1\}`\([^`]*\)`(.*)$/\1\t\3/p;t' \
    -e 's/^\([A-Za-z0-9_]*\)\.\(.*\/\)\{0,1\}\([^`/(]*\)(.*)$/\1\t\3/p' "$work/list" \
    >"$work/listed"
if ! [ -s "$work/listed" ]; then
    echo "check-tests: the runner lists no test at all: swift build --build-tests" >&2
    exit 1
fi

awk -F '\t' '
    NR == FNR { listed[$1 FS $2]++; next }
    $1 == "bare" {
        printf "check-tests: %s: func %s has no @Test, so nothing runs it\n", $4, $3
        failed = 1
    }
    $1 == "test" {
        key = $2 FS $3
        found[key]++
        places[key] = places[key] " " $4
    }
    END {
        for (key in found) {
            if (found[key] <= listed[key]) continue
            split(key, part, FS)
            printf "check-tests: %s: @Test func %s: %d in the sources, %d known to the runner:%s\n",
                part[1], part[2], found[key], listed[key], places[key]
            failed = 1
        }
        exit failed
    }' "$work/listed" "$work/sources" >"$work/faults" || {
    sort "$work/faults" >&2
    exit 1
}
