// SPDX-License-Identifier: Apache-2.0

/// How the C library's allocator works in the process of a case.
enum AllocatorMode: Sendable {
    /// As it is set for the kit itself.
    case usual
    /// Freed memory is overwritten at once with bytes that are no UTF-8 and no value of an enumeration.
    case overwriting

    /// The byte that freed memory is filled with.
    static var filler: UInt8 { 0xA5 }

    /// The variables of the environment: mallopt(3) has the first, the manual of the C library, "Memory
    /// Allocation Tunables", the second.
    var variables: [String: String] {
        switch self {
        case .usual: [:]
        // Blocks in the cache of a thread are not overwritten.
        case .overwriting:
            ["MALLOC_PERTURB_": "\(Self.filler)", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"]
        }
    }
}
