// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Threads that sleep until something is over, in four bytes, in place. Nobody is woken, and no
/// call of the system made, where nobody sleeps.
///
/// Who waits says so (`prepare`), looks whether it is over, and sleeps on the word it was given; who
/// ends it makes it so that it can be seen, then calls `wake`. With a full barrier on both sides, the
/// one has seen that it is over, or the other that somebody sleeps. Then the word changes: whether
/// the thread is asleep by then or only about to be, the system compares the word with the one that
/// was slept on, and does so either before the call that wakes, and then wakes it, or after, and then
/// does not let it sleep.
///
/// Who is woken looks again: the word may be about something else by then.
struct Sleepers: ~Copyable {
    // An atomic cannot be copied, so its address in an object, or in memory that stays, is the same
    // for its life.
    private let word = Atomic<UInt32>(0)

    /// Somebody may be asleep. Stays when a wait times out, which costs a needless call.
    private static let asleep: UInt32 = 1
    /// Above the bit stands how often they were woken.
    private static let awakening: UInt32 = 2

    /// To be called before the look, which has to be sequentially consistent or under the lock that
    /// the other side takes.
    func prepare() -> UInt32 {
        word.bitwiseOr(Self.asleep, ordering: .sequentiallyConsistent).newValue
    }

    /// Sleeps unless somebody was woken since the word was given, at most until a CLOCK_MONOTONIC
    /// time. May return for no reason.
    func sleep(since word: UInt32, until: UInt64) {
        withUnsafePointer(to: self.word) { csys_futex_wait($0, word, until) }
    }

    /// Wakes everybody to look again. What they are to see was made by a sequentially consistent
    /// exchange, or there was such a fence since.
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
