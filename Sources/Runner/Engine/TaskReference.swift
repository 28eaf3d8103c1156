// SPDX-License-Identifier: Apache-2.0

/// A task as the host itself names it: slot and generation. Plain bits, so that a queue can carry it.
struct TaskReference: Hashable {
    let bits: UInt64

    @inline(__always) init(bits: UInt64) { self.bits = bits }

    @inline(__always) init(index: UInt32, generation: UInt32) {
        bits = UInt64(generation) << 32 | UInt64(index)
    }

    @inline(__always) var index: UInt32 { UInt32(truncatingIfNeeded: bits) }
    @inline(__always) var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}
