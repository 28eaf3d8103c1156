#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the plugins in other languages that are out of date: build.sh DIRECTORY
#
# What there is no compiler for is left out, and so is assembly on other machines than x86-64.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "usage: build.sh DIRECTORY" >&2
    exit 2
fi
to=$(realpath -m -- "$1")
cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.."
from=Tests/Plugins/languages
linked=(-shared -Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=Plugins/plugin.map)

# build LANGUAGE SOURCE COMMAND…: the command gets what it writes as its last word.
build() {
    local language=$1 source=$from/$1/$2 library=$to/$1/lib$1.so
    shift 2
    if ! command -v "$1" >/dev/null; then
        echo "languages: without $language: there is no '$1' in PATH" >&2
        return
    fi
    mkdir -p -- "$to/$language"
    cmp -s "$from/$language/manifest.json" "$to/$language/manifest.json" ||
        cp -- "$from/$language/manifest.json" "$to/$language/manifest.json"
    local each
    for each in "$source" "$from/build.sh" Plugins/plugin.map include/curfew/*.h; do
        if [ "$each" -nt "$library" ]; then
            "$@" "$source" -o "$library.new"
            mv -f -- "$library.new" "$library"
            return
        fi
    done
}

build cpp plugin.cpp g++ -std=c++17 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -pedantic -Iinclude \
    "${linked[@]}" -Wl,-soname,libcpp.so
# The linker learns from rustc what a cdylib exports: what is no_mangle.
build rust plugin.rs rustc --edition 2021 --crate-type cdylib --crate-name plugin -O -C strip=symbols \
    -C link-arg=-Wl,-z,nodelete -C link-arg=-Wl,-soname,librust.so
case "$(uname -m)" in
x86_64) build assembly plugin.s gcc -nostdlib "${linked[@]}" -Wl,-soname,libassembly.so ;;
esac
