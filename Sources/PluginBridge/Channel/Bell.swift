// SPDX-License-Identifier: Apache-2.0
import CSystem
package import Synchronization

/// A word on which threads of one process sleep until the other process wakes one of them.
///
/// The low half is the number of rings, on which futex(2) waits; the high half is the number of
/// sleepers. Ringing takes a sleeper off, so that one sleep costs one system call. Either process may
/// write anything: every loop is bounded, and sleeping has a time limit.
package struct Bell {
    private let word: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ address: UnsafeMutableRawPointer) {
        word = address.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private static let sleeper: UInt64 = 1 << 32
    private static let attempts = 16

    /// Wakes a sleeper, if there is one. The caller has published what it waits for, and a
    /// sequentially consistent fence since.
    @inline(__always) @discardableResult package func ring() -> Bool {
        let seen = word.pointee.load(ordering: .sequentiallyConsistent)
        guard seen >= Self.sleeper else { return false }
        return wake(seen)
    }

    @inline(never) private func wake(_ seen: UInt64) -> Bool {
        var old = seen
        for _ in 0..<Self.attempts {
            guard old >= Self.sleeper else { return false }
            let count = UInt64(UInt32(truncatingIfNeeded: old) &+ 1)
            let (exchanged, original) = word.pointee.compareExchange(
                expected: old, desired: (old >> 32 &- 1) << 32 | count,
                ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = original
        }
        csys_shared_wake(word, 1)
        return true
    }

    /// Wakes every sleeper.
    package func ringAll() {
        for _ in 0..<1_024 where !ring() { break }
        csys_shared_wake(word, .max)
    }

    /// Announces a sleeper. The caller looks for work next, then calls `sleep` or `cancel`.
    package func announce() -> UInt32 {
        UInt32(
            truncatingIfNeeded: word.pointee.wrappingAdd(
                Self.sleeper, ordering: .sequentiallyConsistent
            ).newValue)
    }

    /// Sleeps until rung after `announce`, at most until a CLOCK_MONOTONIC time, or spuriously.
    package func sleep(since rings: UInt32, until: UInt64 = .max) {
        csys_shared_wait(word, rings, until)
        cancel(since: rings)
    }

    /// Sleeps as `sleep` does, and also ends when the word of this process, which it alone writes, is no longer a
    /// value. Returns false, at once, where the kernel cannot wait for both.
    package func sleep(
        since rings: UInt32, whileOwn word: UnsafePointer<Atomic<UInt32>>, is value: UInt32,
        until: UInt64
    ) -> Bool {
        let canWait = csys_shared_wait_either(self.word, rings, word, value, until)
        cancel(since: rings)
        return canWait
    }

    /// Takes the announcement back, unless the bell was rung since.
    package func cancel(since rings: UInt32) {
        var old = word.pointee.load(ordering: .sequentiallyConsistent)
        for _ in 0..<Self.attempts {
            guard UInt32(truncatingIfNeeded: old) == rings, old >= Self.sleeper else { return }
            let (exchanged, original) = word.pointee.compareExchange(
                expected: old, desired: old &- Self.sleeper, ordering: .sequentiallyConsistent)
            if exchanged { return }
            old = original
        }
    }
}
