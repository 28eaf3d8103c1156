// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The lock under which a process loads one plugin at a time: changes of the process by two libraries
/// could not be distinguished.
///
/// Code of the plugin runs while it is held, and may end its thread or never return. So the lock of a
/// thread that has ended is free, as a robust mutex of POSIX is, and any thread may release it.
enum LoadLock {
    enum Acquisition {
        case acquired
        /// The calling thread holds it already: it is inside a plugin's entry, perhaps of another
        /// host.
        case recursive
        case givenUp
    }

    /// The number of the host in the upper half and the id of its thread in the lower; 0 while free.
    private static let holder = Atomic<UInt64>(0)
    private static let waiters = Sleepers()

    /// Nanoseconds after which a waiting thread checks whether the holder's thread has ended. The
    /// kernel tells that only to the thread that joins it (pthread_join(3)).
    private static let threadCheck: UInt64 = 1_000_000_000

    /// Waits for the lock until `isFutile` returns true. Checks that again after each `wakeWaiters`.
    static func acquire(for host: UInt32, unless isFutile: () -> Bool) -> Acquisition {
        let thread = UInt32(bitPattern: csys_thread_id())
        while true {
            let word = waiters.prepare()
            if isFutile() { return .givenUp }
            let seen = holder.load(ordering: .sequentiallyConsistent)
            let other = UInt32(truncatingIfNeeded: seen)
            if seen == 0 || !csys_is_thread(Int32(bitPattern: other)) {
                if holder.compareExchange(
                    expected: seen, desired: UInt64(host) << 32 | UInt64(thread),
                    ordering: .sequentiallyConsistent
                ).exchanged {
                    return .acquired
                }
            } else if other == thread {
                return .recursive
            } else {
                waiters.sleep(since: word, until: csys_monotonic_ns() &+ threadCheck)
            }
        }
    }

    /// Releases the lock if a thread of the host holds it.
    static func release(of host: UInt32) {
        let seen = holder.load(ordering: .sequentiallyConsistent)
        guard seen >> 32 == host,
            holder.compareExchange(
                expected: seen, desired: 0, ordering: .sequentiallyConsistent
            ).exchanged
        else { return }
        waiters.wake()
    }

    /// Makes waiting threads check whether their wait is futile. The caller has written the reason
    /// with a sequentially consistent operation.
    static func wakeWaiters() { waiters.wake() }
}
