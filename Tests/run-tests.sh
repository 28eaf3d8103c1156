#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs `swift test` with what it is given, and says at the end, below thousands of lines, what failed
# and where: who reads only the last lines of a log knows then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
swift=${SWIFT:-swift}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$swift" test "$@" 2>&1 | tee "$log" || status=$?
[ "$status" = 0 ] && exit 0

# A test that started and did not end is the one that took the process with it. A line of fault may
# hold a whole value.
{
    echo
    echo "tests: what failed:"
    awk '
        function name() {
            match($0, /Test ("[^"]*"|[A-Za-z0-9_]+\([^)]*\))/)
            return substr($0, RSTART + 5, RLENGTH - 5)
        }
        / recorded an issue/ { faults[++count] = $0 }
        /^↳ / && last ~ / recorded an issue/ { faults[++count] = "  " $0 }
        /^◇ Test ("|[A-Za-z0-9_]+\().* started/ { running[name()] = 1 }
        /(✔|✘) Test ("|[A-Za-z0-9_]+\().* (passed|failed) after/ { delete running[name()] }
        { last = $0 }
        END {
            for (i = 1; i <= count; i++) print substr(faults[i], 1, 600)
            for (each in running) { print "✘ " each " did not end"; count++ }
            if (!count) print "no test; see above"
        }' "$log"
} >&2
exit "$status"
