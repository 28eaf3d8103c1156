// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A value behind a lock.
///
/// `Mutex` of Synchronization costs the same when uncontended and saves an allocation, but
/// ThreadSanitizer does not see its locking (Swift 6.3: it reports every use as a race).
package final class Locked<State>: @unchecked Sendable {
    // Sendable: `state` is only reached with the lock held; the pointers are constant.

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    package init(_ initial: State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// Calls `body` if the lock is free. Returns nil, without waiting, if it is held.
    package func withLockIfFree<Result>(_ body: (inout State) -> Result) -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
    }
}
