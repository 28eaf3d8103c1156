// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// The C library's allocator as it is in a process that is to find wrong uses of memory.
enum HardenedMemory {
    /// The variables of the environment: mallopt(3) has the first, the manual of the C library, "Memory
    /// Allocation Tunables", the second. Since version 2.34 the checks are in a library of their own.
    static var variables: [String: String] {
        var variables = ["MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.check=3"]
        // Who has others loaded, a sanitizer's for instance, keeps them.
        if getenv("LD_PRELOAD") == nil, let library = csys_malloc_checks() {
            variables["LD_PRELOAD"] = String(cString: library)
        }
        return variables
    }
}
