#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the benchmarks into .build/bench and runs them; see Benchmarks/README.md.
#
#     Benchmarks/run.sh [--rounds N] [--library PATH] [--peers-only]
#
# Needs the Swift toolchain on the PATH (its clang and its libdispatch) and Python 3.9 or newer.
set -eu
cd "$(dirname "$0")/.."
out=.build/bench

command -v swiftc >/dev/null || {
    echo "run.sh: no swiftc on the PATH: put the Swift toolchain's usr/bin there" >&2
    exit 1
}
toolchain=$(swiftc -print-target-info)
resources=$(printf '%s' "$toolchain" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["paths"]["runtimeResourcePath"])')
clang=$resources/../../bin/clang
[ -x "$clang" ] || {
    echo "run.sh: no clang beside swiftc ($clang): install the whole toolchain" >&2
    exit 1
}

# Ours, the peers' and the limit: one compiler, the same flags.
compile() {
    "$clang" -std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread -Iinclude "$@"
}
program() {
    name=$1
    shift
    compile "Benchmarks/$name.c" -o "$out/$name" "$@"
}
plugin() {
    mkdir -p "$out/$1-plugin" "$out/parallel-plugin"
    compile -fPIC -shared -fvisibility=hidden -Wl,--version-script=Plugins/plugin.map \
        "Benchmarks/$1-plugin/$1.c" -o "$out/$1-plugin/lib$1.so"
    cp "Benchmarks/$1-plugin/manifest.json" "$out/$1-plugin/manifest.json"
}

mkdir -p "$out"
program dispatch_limit
program dispatch_libdispatch -isystem "$resources" \
    -L"$resources/linux" -ldispatch -Wl,-rpath,"$resources/linux"
program dispatch_curfew
program lateness_timerfd
program lateness_curfew
plugin empty
plugin expiring
# The same library, and 64 of its tasks at a time.
cp "$out/empty-plugin/libempty.so" "$out/parallel-plugin/libempty.so"
cp Benchmarks/parallel-plugin/manifest.json "$out/parallel-plugin/manifest.json"
program requests_sqlite -lsqlite3
program requests_curfew

# huey from PyPI; without a way there its rows are left out.
if [ ! -d "$out/huey" ]; then
    python3 -m pip --quiet --disable-pip-version-check install --target "$out/huey" huey==3.5.4 \
        2>/dev/null || echo "run.sh: no huey from PyPI; it is not measured" >&2
fi

CURFEW_BENCH_TOOLCHAIN=$toolchain exec python3 Benchmarks/report.py --programs "$out" "$@"
