// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Counts the threads inside of a section. Once closed, it admits no more; the closing thread waits
/// until it is empty, and can then free what the section uses.
package final class CallGate: Sendable {
    /// Twice the number of calls inside, plus 1 once it is closed.
    private let word = Atomic<UInt64>(0)

    package init() {}

    /// Lets a call in, which has to `leave`. False when the gate is closed: then there is nothing
    /// to leave.
    @inline(__always) package func enter() -> Bool {
        guard word.wrappingAdd(2, ordering: .sequentiallyConsistent).oldValue & 1 != 0 else {
            return true
        }
        leave()
        return false
    }

    @inline(__always) package func leave() {
        let before = word.wrappingSubtract(2, ordering: .sequentiallyConsistent).oldValue
        if before == 3 { wake() }
    }

    /// The last call has left a closed gate.
    @inline(never) private func wake() { withUnsafePointer(to: word) { csys_futex_wake($0, .max) } }

    /// Admits no more calls. Closing twice is harmless.
    package func close() { word.bitwiseOr(1, ordering: .sequentiallyConsistent) }

    package func open() { word.bitwiseAnd(~1, ordering: .sequentiallyConsistent) }

    @inline(__always) package var isClosed: Bool { word.load(ordering: .acquiring) & 1 != 0 }

    /// Waits until no call is inside a closed gate, at most until a CLOCK_MONOTONIC time.
    package func waitUntilEmpty(until deadline: UInt64) -> Bool {
        while true {
            let seen = word.load(ordering: .sequentiallyConsistent)
            if seen < 2 { return true }
            guard csys_monotonic_ns() < deadline else { return false }
            // futex(2) compares 32 bits: the low ones, which come first on a little-endian machine.
            withUnsafePointer(to: word) {
                csys_futex_wait($0, UInt32(truncatingIfNeeded: seen), deadline)
            }
        }
    }

    /// True if no thread is inside; once true for a closed gate, it stays true.
    package var isEmpty: Bool { word.load(ordering: .sequentiallyConsistent) < 2 }
}
