#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of the readers, SECONDS each, from their corpora: fuzz.sh SECONDS [READER...]
# What crashes a reader is left in .build/fuzz/found, and named. Once it is mended it belongs into
# the corpus, which the tests replay.
set -euo pipefail
export LC_ALL=C SWIFT_BACKTRACE=enable=no
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-60}
readers=("${@:2}")
[ ${#readers[@]} -gt 0 ] || readers=(channel library manifest minisign propertylist)
swiftc=${SWIFTC:-swiftc}
work=$PWD/.build/fuzz

if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "fuzz: usage: fuzz.sh SECONDS [channel] [library] [manifest] [minisign] [propertylist]" >&2
    exit 2
fi
if ! command -v "$swiftc" >/dev/null; then
    echo "fuzz: there is no '$swiftc' in PATH; say where it is: SWIFTC=/path/to/swiftc" >&2
    exit 1
fi
rm -rf "$work"
mkdir -p "$work/found"

# The modules of the package, each built for the fuzzer; SwiftPM cannot link one.
mkdir "$work/CCurfew" "$work/CSystem" "$work/CFaults"
echo "module CCurfew { umbrella \"$PWD/include/curfew\" export * }" >"$work/CCurfew/module.modulemap"
echo "module CSystem { umbrella \"$PWD/Sources/CSystem/include\" export * }" \
    >"$work/CSystem/module.modulemap"
echo "module CFaults { umbrella \"$PWD/Sources/CFaults/include\" export * }" \
    >"$work/CFaults/module.modulemap"
flags=(-swift-version 6 -O -g -sanitize=fuzzer,address -parse-as-library -package-name curfew
    -module-cache-path "$work/cache" -I "$work" -I "$work/CCurfew" -I "$work/CSystem"
    -I "$work/CFaults"
    -I Sources/CFFI -Xcc "-I$PWD/include" -L "$work"
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature InternalImportsByDefault)
for flag in $(pkg-config --cflags libffi); do flags+=(-Xcc "$flag"); done

echo "fuzz: building the readers for the fuzzer"
for file in Sources/CSystem/*.c; do
    "${CC:-gcc}" -O1 -g -c -Iinclude -ISources/CSystem/include \
        -o "$work/CSystem/$(basename "$file").o" "$file"
done
# The toolchain's clang knows #embed; gcc does not before version 15.
"$(dirname "$(realpath "$(command -v "$swiftc")")")/clang" -O1 -g -c -ISources/CFaults/include \
    -o "$work/CFaults/pages.o" Sources/CFaults/pages.c
for module in CurfewValues Scheduling PluginBridge; do
    mapfile -t sources < <(find "Sources/$module" -name '*.swift' | sort)
    "$swiftc" "${flags[@]}" -wmo -module-name "$module" -emit-library -static \
        -emit-module -emit-module-path "$work/$module.swiftmodule" -o "$work/lib$module.a" \
        "${sources[@]}"
done

failed=0
for reader in "${readers[@]}"; do
    "$swiftc" "${flags[@]}" -use-ld=lld -module-name Fuzz -o "$work/$reader" \
        "Tests/Fuzz/$reader.swift" Tests/Fuzz/Soundness.swift -lPluginBridge -lScheduling -lCurfewValues \
        "$work"/CSystem/*.o "$work"/CFaults/*.o -lffi -lswiftGlibc -lswiftSynchronization
    # What it learns is written into the first directory, never into the corpus.
    mkdir "$work/$reader.new"
    echo "fuzz: $reader for $seconds s"
    # Words that chance alone would take long to find.
    words=()
    [ ! -e "Tests/Fuzz/$reader.dict" ] || words=("-dict=Tests/Fuzz/$reader.dict")
    # A text of the largest size is read in well under a second, also here.
    if "$work/$reader" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        "${words[@]}" -print_final_stats=1 -artifact_prefix="$work/found/$reader-" \
        "$work/$reader.new" "Tests/Fuzz/Corpus/$reader" >"$work/$reader.log" 2>&1; then
        sed -n 's/^stat::number_of_executed_units: */fuzz: inputs tried: /p' "$work/$reader.log"
    else
        tail -n 40 "$work/$reader.log" >&2
        failed=1
    fi
done
if [ "$failed" -ne 0 ]; then
    echo "fuzz: found, to be mended and then put into Tests/Fuzz/Corpus:" >&2
    find "$work/found" -type f -printf '  %p\n' >&2
    exit 1
fi
