#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Saves a directory in an archive, compressed by gzip. Standard input has two lines, the paths of
# the directory and of the archive, which is replaced when the new one is complete.
set -euo pipefail
read -r from || true
read -r to || true
if [[ $from != /* || ${to:-} != /* ]]; then
    echo "the payload must be two lines, the absolute paths of a directory and an archive" >&2
    exit 1
fi
if ! [ -d "$from" ]; then
    echo "there is no directory $from" >&2
    exit 1
fi

# The archive of yesterday stays as it is where this one fails, or is stopped by SIGTERM.
trap 'rm -f -- "$to.new"' EXIT
total=$(find "$from" | wc -l)
# Progress for each hundredth of the files.
tar --create --gzip --file "$to.new" --directory "$from" --verbose . |
    awk -v total="$total" '
        NR <= total && NR * 100 >= total * next_percent {
            next_percent = int(NR * 100 / total) + 1
            print "curfew: progress " next_percent - 1 "% " $0
            fflush()
        }'
mv --no-target-directory -- "$to.new" "$to"
echo "curfew: result $total files, $(stat --format %s -- "$to") bytes"
