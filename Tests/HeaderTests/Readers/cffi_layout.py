# SPDX-License-Identifier: Apache-2.0
"""Reads the declarations on standard input with cffi and prints the layout it sees:
struct, size, member, offset, a row for each "struct.member" of the arguments."""
import sys

import cffi

ffi = cffi.FFI()
ffi.cdef(sys.stdin.read())
for name in sys.argv[1:]:
    struct, member = name.split(".")
    print(struct, ffi.sizeof(struct), member, ffi.offsetof(struct, member))
