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

# The check value of the algorithm, as its specifications give it.
try 0 'result: 3421780262' 123456789
try 0 'result: 0' ''
