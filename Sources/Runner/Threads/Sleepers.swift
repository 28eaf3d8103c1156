// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// An event count in four bytes: threads sleep until something is over. Waking makes no system call
/// while none sleeps.
///
/// A thread that waits says so (`prepare`), looks whether it is over, and sleeps on the word it was given;
/// a thread that ends it makes that visible, then calls `wake`. With a full barrier on both sides, the one
/// has seen that it is over, or the other that a thread sleeps. Then the word changes: whether the thread
/// is asleep by then or only about to be, futex(2) compares the word with the one that was slept on,
/// either before the call that wakes, and then wakes it, or after, and then does not let it sleep.
///
/// A thread that is woken looks again: the word may be about something else by then.
struct Sleepers: ~Copyable {
    // An atomic cannot be copied, so its address in an object, or in memory that stays, is the same
    // for its life.
    private let word = Atomic<UInt32>(0)

    /// A thread may be asleep. Stays when a wait times out, which costs a needless call.
    private static let asleep: UInt32 = 1
    /// Above the bit stands how often they were woken.
    private static let awakening: UInt32 = 2

    /// To be called before the look, which has to be sequentially consistent or under the lock that
    /// the other side takes.
    func prepare() -> UInt32 {
        word.bitwiseOr(Self.asleep, ordering: .sequentiallyConsistent).newValue
    }

    /// Sleeps unless threads were woken since the word was given, at most until a CLOCK_MONOTONIC
    /// time. May return for no reason.
    func sleep(since word: UInt32, until: UInt64) {
        withUnsafePointer(to: self.word) { csys_futex_wait($0, word, until) }
    }

    /// Sleeps until `isOver`, which is asked again after every `wake`, at most until a CLOCK_MONOTONIC
    /// time. Returns whether it was over once.
    func wait(until deadline: UInt64 = .max, _ isOver: () -> Bool) -> Bool {
        while true {
            let word = prepare()
            if isOver() { return true }
            guard deadline == .max || csys_monotonic_ns() < deadline else { return false }
            sleep(since: word, until: deadline)
        }
    }

    /// Wakes all of them to look again. What ended was written by a sequentially consistent
    /// exchange, or such a fence came since.
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
