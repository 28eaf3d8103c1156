// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// A four-byte event count. Waking makes no system call while no thread sleeps.
///
/// A waiting thread announces itself (`prepare`), checks the condition, and sleeps on the word it
/// was given. A thread that fulfils the condition makes that visible, then calls `wake`. With a
/// full barrier on both sides, either the waiter sees the condition or the waker sees the waiter.
/// The waker changes the word; futex(2) compares it with the value slept on, so a waiter that is
/// asleep is woken, and one that is about to sleep returns at once.
///
/// A woken thread checks its condition again: the wake may concern another one.
struct Sleepers: ~Copyable {
    // An atomic cannot be copied, so its address is constant in memory that stays.
    private let word = Atomic<UInt32>(0)

    /// A thread may be asleep. Stays set when a wait times out, which costs one needless call.
    private static let asleep: UInt32 = 1
    /// Increment of the wake count in the bits above `asleep`.
    private static let awakening: UInt32 = 2

    /// Announces a waiter. The caller checks its condition next, sequentially consistently or under
    /// the waker's lock.
    func prepare() -> UInt32 {
        word.bitwiseOr(Self.asleep, ordering: .sequentiallyConsistent).newValue
    }

    /// Sleeps until woken after `prepare`, at most until a CLOCK_MONOTONIC time, or spuriously.
    func sleep(since word: UInt32, until: UInt64) {
        withUnsafePointer(to: self.word) { csys_futex_wait($0, word, until) }
    }

    /// Waits until `isOver`, at most until a CLOCK_MONOTONIC time. Returns whether it was over.
    /// Checks again after every `wake`.
    func wait(until deadline: UInt64 = .max, _ isOver: () -> Bool) -> Bool {
        while true {
            let word = prepare()
            if isOver() { return true }
            guard deadline == .max || csys_monotonic_ns() < deadline else { return false }
            sleep(since: word, until: deadline)
        }
    }

    /// Wakes all waiting threads to check again. The caller has written the condition with a
    /// sequentially consistent exchange, or has issued such a fence since.
    @inline(__always) func wake() {
        var old = word.load(ordering: .sequentiallyConsistent)
        guard old & Self.asleep != 0 else { return }
        while true {
            let (exchanged, original) = word.compareExchange(
                expected: old, desired: (old & ~Self.asleep) &+ Self.awakening,
                ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = original
        }
        withUnsafePointer(to: word) { csys_futex_wake($0, .max) }
    }
}
