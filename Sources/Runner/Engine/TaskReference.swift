// SPDX-License-Identifier: Apache-2.0

/// The internal name of a task: slot and generation, as plain bits that a queue can carry.
struct TaskReference: Hashable {
    let bits: UInt64

    @inline(__always) init(bits: UInt64) { self.bits = bits }

    @inline(__always) init(index: UInt32, generation: UInt32) {
        bits = UInt64(generation) << 32 | UInt64(index)
    }

    @inline(__always) var index: UInt32 { UInt32(truncatingIfNeeded: bits) }
    @inline(__always) var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}
