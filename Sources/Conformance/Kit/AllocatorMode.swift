// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// How the C library's allocator works in the process of a case.
enum AllocatorMode: Sendable {
    /// As it is set for the kit itself.
    case usual
    /// Freed memory is overwritten at once with bytes that are no UTF-8 and no value of an enumeration.
    case overwriting
    /// That, and the process is ended at a wrong use of memory.
    case checking

    /// The byte that freed memory is filled with.
    static var filler: UInt8 { 0xA5 }

    /// Whether the C library's checks are in this process: they were preloaded, and nothing else was.
    static var isChecking: Bool {
        guard let preloaded = getenv("LD_PRELOAD"), let checks = csys_malloc_checks() else {
            return false
        }
        return strcmp(preloaded, checks) == 0
    }

    /// The variables of the environment: mallopt(3) has the first, the manual of the C library, "Memory
    /// Allocation Tunables", the second. Since version 2.34 the checks are in a library of their own.
    var variables: [String: String] {
        // Blocks in the cache of a thread are not overwritten.
        let overwriting = "glibc.malloc.tcache_count=0"
        switch self {
        case .usual: return [:]
        case .overwriting:
            return ["MALLOC_PERTURB_": "\(Self.filler)", "GLIBC_TUNABLES": overwriting]
        case .checking:
            var variables = [
                "MALLOC_PERTURB_": "\(Self.filler)", "GLIBC_TUNABLES": "glibc.malloc.check=3",
            ]
            // A library that the user preloads, such as a sanitizer, stays.
            if getenv("LD_PRELOAD") == nil, let library = csys_malloc_checks() {
                variables["LD_PRELOAD"] = String(cString: library)
            }
            return variables
        }
    }
}
