# SPDX-License-Identifier: Apache-2.0
# Tries the handler: sh test.sh DIRECTORY, where the plugin is. `make test` calls it.
set -eu
plugin=$1
curfew=${CURFEW_PREFIX:?where Curfew is installed; make says it}/bin/curfew
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try STATUS TEXT PAYLOAD [OPTION]…: runs one task, which ends with that status and says that text.
try() {
    status=$1 text=$2 payload=$3
    shift 3
    ended=0
    printf '%s' "$payload" |
        "$curfew" run org.example.sample --plugin "$plugin" --payload - "$@" \
            >"$work/output" 2>&1 || ended=$?
    if [ "$ended" -ne "$status" ] || ! grep -Fq -- "$text" "$work/output"; then
        cat "$work/output" >&2
        echo "test: it ended with $ended, not $status, or did not say: $text" >&2
        exit 1
    fi
    echo "ok: $text"
}

printf 'one apple\ntwo pears\nan apple\n' >"$work/fruit"
try 0 'sample_found(2, "two pears")' "pear
$work/fruit"
try 0 'result: 2' "apple
$work/fruit"
try 100 'could not open /nowhere: No such file or directory' 'pear
/nowhere'
try 100 'the payload must be two lines' ''
# 124 is how `curfew run` says that the time was up: /dev/zero has no end.
try 124 'told to stop after line' 'pear
/dev/zero' --budget 200ms
