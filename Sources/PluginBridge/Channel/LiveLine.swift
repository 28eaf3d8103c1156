// SPDX-License-Identifier: Apache-2.0
package import Synchronization

/// A task as the host shows it to the plugin's process: one cache line, at the index of its slot.
///
/// The host alone writes it. A reader compares the generation before and after it reads the rest.
package struct LiveLine: ~Copyable {
    package let word: Atomic<UInt64>
    /// Of the host's clock, in nanoseconds: the end of the budget, or of the grace once it is told
    /// to stop.
    package let deadline: Atomic<UInt64>
    package var budget: UInt64
    package var grace: UInt64
    package var attempt: UInt32
    package var kind: Int32
    package var request: UInt64
    /// The payload's offset in `down`.
    package var payloadAt: UInt64
    package var payloadBytes: UInt64
}

/// The state of a task in a `LiveLine`.
package struct LiveWord: Equatable, Sendable {
    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    /// - Parameter generation: the upper half of the task's public id.
    package init(
        generation: UInt32, reason: Int32 = 0, isOver: Bool = false, isEndedByHost: Bool = false
    ) {
        bits =
            UInt64(generation) << 32 | UInt64(UInt32(bitPattern: reason) & 7)
            | (isOver ? 16 : 0) | (isEndedByHost ? 32 : 0)
    }

    package var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
    /// A `CURFEW_REASON_`, 0 while it is not told to stop.
    package var reason: Int32 { Int32(bits & 7) }
    /// The host is about to decide; the reader waits for the next value.
    package var isClosing: Bool { bits & 8 != 0 }
    /// Its outcome is decided.
    package var isOver: Bool { bits & 16 != 0 }
    /// The host has decided it, because the plugin had not answered.
    package var isEndedByHost: Bool { bits & 32 != 0 }
    package var closing: LiveWord { LiveWord(bits: bits | 8) }
}
