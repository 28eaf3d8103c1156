// SPDX-License-Identifier: Apache-2.0
public import Glibc  // public: otherwise the members are not inlined into other modules

/// A value behind a lock: the lock of all targets.
///
/// On a POSIX mutex, whose locking ThreadSanitizer sees. `Mutex` of Synchronization costs the same
/// when uncontended and saves an allocation, but locks inside the runtime, which is built without
/// the sanitizer (Swift 6.3): ThreadSanitizer reports every use as a race.
@usableFromInline package final class Locked<State>: @unchecked Sendable {
    // Sendable: `state` is only reached with the lock held; the pointers are constant.

    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    @inlinable
    package init(_ initial: State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    @inlinable
    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// Calls `body` if the lock is free. Returns nil, without waiting, if it is held.
    @inlinable
    package func withLockIfFree<Result>(_ body: (inout State) -> Result) -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
    }

    /// Replaces the value and returns the previous one, which is released outside of the lock.
    @discardableResult @inlinable
    package func exchange(_ new: State) -> State {
        withLock { state in
            let old = state
            state = new
            return old
        }
    }
}
