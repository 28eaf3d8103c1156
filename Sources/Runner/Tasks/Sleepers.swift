// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Threads that sleep until something is over, in four bytes, in place. Nobody is woken, and no
/// call of the system made, where nobody sleeps.
///
/// Who waits takes the word, looks whether it is over, and sleeps on that word; who ends it makes
/// it so that it can be seen, then announces. No wake-up is lost, as all changes of the word are
/// exchanges, so stand in one order, and `announce` stands
/// - before the word was taken: then the look that followed has seen that it is over;
/// - between that and the exchange in `sleep` that sets `asleep`: that exchange fails, since the
///   word is not the one that was taken, and who waits looks again;
/// - after it: then `announce` has found `asleep`, and wakes. Whether the thread is asleep by then
///   or only about to be, the system compares the word with the one that was slept on, and does so
///   either before the call that wakes, and then wakes it, or after, and then does not let it
///   sleep, because the word has changed.
///
/// The same holds for `disturb`, after which who waits looks again.
struct Sleepers: ~Copyable {
    // An atomic cannot be copied, so its address in an object is the same for the object's life.
    private let word = Atomic<UInt32>(0)

    private static let over: UInt32 = 1
    /// Somebody may be asleep. Stays when a wait times out, which costs a needless call.
    private static let asleep: UInt32 = 2
    /// Above the bits stands how often they were disturbed.
    private static let disturbance: UInt32 = 4

    /// To be taken before the look at whether it is over.
    @inline(__always) var current: UInt32 { word.load(ordering: .sequentiallyConsistent) }

    @inline(__always) var isOver: Bool { current & Self.over != 0 }

    /// Sleeps unless the word has changed since it was taken, at most until a CLOCK_MONOTONIC time.
    /// May return for no reason.
    func sleep(since word: UInt32, until: UInt64) {
        if word & Self.asleep == 0 {
            guard
                self.word.compareExchange(
                    expected: word, desired: word | Self.asleep, ordering: .sequentiallyConsistent
                ).exchanged
            else { return }
        }
        withUnsafePointer(to: self.word) { csys_futex_wait($0, word | Self.asleep, until) }
    }

    /// It is over, and can be seen to be: wakes everybody. Again is no harm.
    func announce() { change { _ in Self.over } }

    /// Wakes everybody to look again.
    func disturb() { change { ($0 & ~Self.asleep) &+ Self.disturbance } }

    @inline(__always) private func change(_ body: (UInt32) -> UInt32) {
        var old = current
        while true {
            let (exchanged, original) = word.compareExchange(
                expected: old, desired: body(old), ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = original
        }
        guard old & Self.asleep != 0 else { return }
        withUnsafePointer(to: word) { csys_futex_wake($0, .max) }
    }
}
