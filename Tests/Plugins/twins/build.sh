#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the twins that are out of date: build.sh DIRECTORY [CC]
#
# NAME.c becomes DIRECTORY/NAME/libtwin.so, with manifest.json beside it. What a twin may have of
# its own:
#   NAME.json   its manifest
#   NAME.flags  more words for the compiler
#   NAME.map    what it exports
#   NAME.needs  the name of a library it is linked with and that is not there afterwards
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "usage: build.sh DIRECTORY [CC]" >&2
    exit 2
fi
to=$(realpath -m -- "$1")
read -ra compiler <<<"${2:-gcc}"
cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.."
from=Tests/Plugins/twins

# Those of the Makefile, and _GNU_SOURCE for twin.h.
flags=(-std=c11 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -pedantic -Iinclude
    -Wl,-z,nodelete -Wl,-z,defs -D_GNU_SOURCE)
common=("$from/twin.h" "$from/handed-job.h" "$from/build.sh" Plugins/plugin.map
    include/curfew/*.h include/curfew/ext/*.h)

# own NAME ENDING DEFAULT: the twin's own file, or the one for all.
own() { if [ -e "$from/$1.$2" ]; then echo "$from/$1.$2"; else echo "$3"; fi; }

is_current() {  # a file, and what it is made of
    local file=$1 source
    shift
    [ -e "$file" ] || return 1
    for source; do
        if [ -e "$source" ] && [ "$source" -nt "$file" ]; then return 1; fi
    done
}

build() {
    local name=$1 library=$to/$1/libtwin.so map words=() stub=
    map=$(own "$name" map Plugins/plugin.map)
    if [ -e "$from/$name.flags" ]; then read -ra words <"$from/$name.flags"; fi
    if [ -e "$from/$name.needs" ]; then
        stub=$(mktemp -d)
        local needed
        needed=$(<"$from/$name.needs")
        "${compiler[@]}" -shared -nostdlib "-Wl,-soname,$needed" -o "$stub/$needed" -x c /dev/null
        words+=(-Wl,--no-as-needed "$stub/$needed")
    fi
    "${compiler[@]}" "${flags[@]}" "-Wl,--version-script=$map" -Wl,-soname,libtwin.so \
        -o "$library.new" "$from/$name.c" "${words[@]}" || return
    if [ -n "$stub" ]; then rm -r -- "$stub"; fi
    mv -f -- "$library.new" "$library"  # never written in place: somebody may have it loaded
}

failed=0 running=0
for file in "$from"/*.c; do
    name=$(basename "$file" .c)
    mkdir -p -- "$to/$name"
    manifest=$(own "$name" json "$from/manifest.json")
    cmp -s "$manifest" "$to/$name/manifest.json" || cp -- "$manifest" "$to/$name/manifest.json"
    if is_current "$to/$name/libtwin.so" "${common[@]}" "$from/$name".{c,flags,map,needs}; then
        continue
    fi
    if [ $running -ge 2 ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    { build "$name" || { echo "twins: $name was not built" >&2; exit 1; }; } &
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit $failed
