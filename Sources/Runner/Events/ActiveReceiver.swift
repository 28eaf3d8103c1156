// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The receiver that the loop's thread is inside of, for threads that end a subscription: they return
/// once it has returned.
///
/// The loop stores which receiver it enters, then looks whether the subscription is active; a thread
/// that unsubscribes makes it inactive, then looks which receiver the loop is inside of. Of several events
/// for one receiver it is stored once: most events have one.
final class ActiveReceiver: @unchecked Sendable {
    // Sendable: the pointer is constant, and everything is atomic.

    /// The subscription that deliveries outside of others' go to, or 0.
    private let current = Atomic<UInt>(0)
    /// Threads that wait.
    private let unsubscribing = Atomic<UInt32>(0)
    /// Changes when a receiver has returned while a thread waits for that.
    private let returns: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        returns = .allocate(capacity: 1)
        returns.initialize(to: Atomic(0))
    }

    deinit {
        returns.deinitialize(count: 1)
        returns.deallocate()
    }

    // MARK: On the loop's thread

    /// Enters a receiver, before its subscription is looked at.
    @inline(__always) func enter(_ subscription: Subscription, isNested: Bool) {
        if isNested {
            subscription.running.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return
        }
        let this = UInt(bitPattern: ObjectIdentifier(subscription))
        guard current.load(ordering: .relaxed) != this else { return }
        current.store(this, ordering: .sequentiallyConsistent)
        // The one before is left by that.
        tell()
    }

    @inline(__always) func returned(_ subscription: Subscription, isNested: Bool) {
        guard isNested else { return }
        subscription.running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        tell()
    }

    /// Leaves the receiver, before the loop's thread sleeps or goes on with something else.
    func leave() {
        guard current.load(ordering: .relaxed) != 0 else { return }
        current.store(0, ordering: .sequentiallyConsistent)
        tell()
    }

    /// Leaves the receiver between two events, if a thread waits for that.
    @inline(__always) func leaveIfAwaited() {
        if unsubscribing.load(ordering: .relaxed) > 0 { leave() }
    }

    private func tell() {
        guard unsubscribing.load(ordering: .sequentiallyConsistent) > 0 else { return }
        returns.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(returns, .max)
    }

    // MARK: On other threads

    /// Returns once the receiver of a subscription that is not active any more has returned.
    func wait(for subscription: Subscription) {
        unsubscribing.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { unsubscribing.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let seen = returns.pointee.load(ordering: .sequentiallyConsistent)
            guard isInside(subscription) else { return }
            csys_futex_wait(returns, seen, .max)
        }
    }

    private func isInside(_ subscription: Subscription) -> Bool {
        subscription.running.load(ordering: .sequentiallyConsistent) > 0
            || current.load(ordering: .sequentiallyConsistent)
                == UInt(bitPattern: ObjectIdentifier(subscription))
    }
}
