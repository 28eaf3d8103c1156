-- SPDX-License-Identifier: Apache-2.0
-- Reads the declarations on standard input with LuaJIT's FFI and prints the layout it sees:
-- struct, size, member, offset, a row for each "struct.member" of the arguments.
local ffi = require("ffi")

ffi.cdef(io.read("*a"))
for _, name in ipairs(arg) do
    local struct, member = name:match("([^.]+)%.([^.]+)")
    print(table.concat({ struct, ffi.sizeof(struct), member, ffi.offsetof(struct, member) }, " "))
end
