// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The lock of a channel, which is never held while foreign code runs.
///
/// A thread that only wants something done need not wait: the owner does it before it leaves.
struct ChannelLock: ~Copyable {
    private let word = Atomic<UInt32>(0)

    private static let taken: UInt32 = 1
    /// A thread has left work for the owner.
    private static let wanted: UInt32 = 2
    /// A thread may be asleep.
    private static let awaited: UInt32 = 4

    /// Takes the lock, or leaves the work to its owner and returns false.
    @inline(__always) func tryEnter() -> Bool {
        let before = word.load(ordering: .relaxed)
        if before == 0,
            word.compareExchange(
                expected: 0, desired: Self.taken, ordering: .sequentiallyConsistent
            ).exchanged
        {
            return true
        }
        return tryEnterSlowly()
    }

    @inline(never) private func tryEnterSlowly() -> Bool {
        var old = word.load(ordering: .sequentiallyConsistent)
        while true {
            let isFree = old & Self.taken == 0
            let desired = isFree ? old | Self.taken : old | Self.wanted
            let (exchanged, original) = word.compareExchange(
                expected: old, desired: desired, ordering: .sequentiallyConsistent)
            if exchanged { return isFree }
            old = original
        }
    }

    /// Takes the lock, waiting for its owner.
    func enter() {
        for _ in 0..<64 {
            let old = word.load(ordering: .relaxed)
            if old & Self.taken == 0,
                word.compareExchange(
                    expected: old, desired: old | Self.taken, ordering: .sequentiallyConsistent
                ).exchanged
            {
                return
            }
            csys_pause()
        }
        while true {
            let old = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).newValue
            if old & Self.taken == 0 {
                if word.compareExchange(
                    expected: old, desired: old | Self.taken, ordering: .sequentiallyConsistent
                ).exchanged {
                    return
                }
                continue
            }
            withUnsafePointer(to: word) { csys_futex_wait($0, old, .max) }
        }
    }

    /// Releases the lock. Returns false, and keeps it, when work was left: then do that and leave again.
    @inline(__always) func leave() -> Bool {
        if word.compareExchange(
            expected: Self.taken, desired: 0, ordering: .sequentiallyConsistent
        ).exchanged {
            return true
        }
        return leaveSlowly()
    }

    @inline(never) private func leaveSlowly() -> Bool {
        var old = word.load(ordering: .sequentiallyConsistent)
        while true {
            let isWanted = old & Self.wanted != 0
            let desired = isWanted ? old & ~Self.wanted : 0
            let (exchanged, original) = word.compareExchange(
                expected: old, desired: desired, ordering: .sequentiallyConsistent)
            if exchanged {
                if isWanted { return false }
                if old & Self.awaited != 0 {
                    withUnsafePointer(to: word) { csys_futex_wake($0, .max) }
                }
                return true
            }
            old = original
        }
    }
}
