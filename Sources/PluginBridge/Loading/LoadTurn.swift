// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// Serializes loading: a process loads one plugin at a time, since changes of the process by two
/// libraries could not be distinguished.
///
/// The turn is not a lock: it is held while code of the plugin runs, and only another load waits
/// for it. It can be lost, by an entry that ends its thread, or that does not return before its
/// host is gone.
package struct LoadTurn: Sendable {
    /// The result of asking for the turn.
    package enum Answer: Sendable {
        case mine(LoadTurn)
        /// The calling thread has it already: it is inside a plugin's entry, perhaps of another
        /// host.
        case held
        case givenUp
    }

    private struct Holder {
        var turn: UInt64
        var thread: Int32
        /// The owner, with which the turn is removed.
        var owner: ObjectIdentifier
    }

    private let number: UInt64

    /// The interval at which a waiting thread checks whether to give up, in nanoseconds.
    private static var look: UInt64 { 10_000_000 }

    // Guarded by `mutex`, which is only held for a moment.
    nonisolated(unsafe) private static var holder: Holder?
    nonisolated(unsafe) private static var turns: UInt64 = 0
    nonisolated(unsafe) private static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        return mutex
    }()

    /// Waits for the turn until `isFutile`, which is polled, returns true.
    package static func take(for owner: AnyObject, unless isFutile: () -> Bool) -> Answer {
        let me = csys_thread_id()
        while true {
            if isFutile() { return .givenUp }
            let answer = locked { () -> Answer? in
                if let holder, csys_is_thread(holder.thread) {
                    return holder.thread == me ? .held : nil
                }
                turns += 1
                holder = Holder(turn: turns, thread: me, owner: ObjectIdentifier(owner))
                return .mine(LoadTurn(number: turns))
            }
            if let answer { return answer }
            var word: UInt32 = 0
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ look)
        }
    }

    /// Releases the turn, if it is still held.
    package func leave() {
        LoadTurn.locked {
            if LoadTurn.holder?.turn == number { LoadTurn.holder = nil }
        }
    }

    /// Takes the turn from a load of `owner`, which no longer waits for it.
    package static func giveUp(of owner: AnyObject) {
        locked {
            if holder?.owner == ObjectIdentifier(owner) { holder = nil }
        }
    }

    private static func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
