// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// One plugin is loaded at a time in a process: what a library changes in the process around it
/// belongs to everyone, and could not be told from what another library changes meanwhile.
///
/// The turn is not a lock: it is held while code of the plugin runs, and nothing but another load
/// waits for it.
public enum LoadTurn {
    /// What became of asking for the turn.
    public enum Answer: Sendable {
        case mine
        /// The calling thread has it already: it is inside a plugin's entry, perhaps of another
        /// host.
        case held
        case givenUp
    }

    /// How often who waits looks whether it should give up.
    private static var look: UInt64 { 10_000_000 }

    /// Guarded by `mutex`, which is only held for a moment.
    nonisolated(unsafe) private static var holder: UInt64 = 0
    nonisolated(unsafe) private static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        return mutex
    }()

    /// Waits for the turn until `isFutile` says that it is of no use any more.
    public static func take(unless isFutile: () -> Bool) -> Answer {
        let me = csys_thread_number()
        while true {
            if isFutile() { return .givenUp }
            let before = exchange { if $0 == 0 { $0 = me } }
            if before == 0 { return .mine }
            if before == me { return .held }
            var word: UInt32 = 0
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ look)
        }
    }

    public static func leave() {
        _ = exchange { $0 = 0 }
    }

    private static func exchange(_ body: (inout UInt64) -> Void) -> UInt64 {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let before = holder
        body(&holder)
        return before
    }
}
