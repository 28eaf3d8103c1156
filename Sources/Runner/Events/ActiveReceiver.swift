// SPDX-License-Identifier: Apache-2.0
package import CCurfew
import CSystem
import Synchronization

/// The receiver that the loop's thread is executing; unsubscribing threads wait for it.
///
/// The loop stores the receiver it enters, then checks whether the subscription is active; an
/// unsubscribing thread makes the subscription inactive, then checks which receiver the loop
/// executes. Consecutive events for one receiver store it once.
final class ActiveReceiver: @unchecked Sendable {
    // Sendable: the pointer is constant, and everything is atomic.

    /// The receiver of the outermost delivery, or 0; `Subscription.running` counts nested ones.
    private let current = Atomic<UInt>(0)
    private let unsubscribing = Atomic<UInt32>(0)
    /// Futex word: changes when a receiver has returned while a thread waits for that.
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

    /// Enters a receiver. Called before the check of its subscription.
    @inline(__always) func enter(_ subscription: Subscription, isNested: Bool) {
        if isNested {
            subscription.running.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return
        }
        let this = UInt(bitPattern: ObjectIdentifier(subscription))
        guard current.load(ordering: .relaxed) != this else { return }
        current.store(this, ordering: .sequentiallyConsistent)
        // The store also leaves the previous receiver.
        wakeUnsubscribing()
    }

    @inline(__always) func returned(_ subscription: Subscription, isNested: Bool) {
        guard isNested else { return }
        subscription.running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        wakeUnsubscribing()
    }

    /// Leaves the receiver before the loop's thread sleeps or does other work.
    func leave() {
        guard current.load(ordering: .relaxed) != 0 else { return }
        current.store(0, ordering: .sequentiallyConsistent)
        wakeUnsubscribing()
    }

    /// Leaves the receiver between two events if a thread waits for that.
    @inline(__always) func leaveIfAwaited() {
        if unsubscribing.load(ordering: .relaxed) > 0 { leave() }
    }

    private func wakeUnsubscribing() {
        guard unsubscribing.load(ordering: .sequentiallyConsistent) > 0 else { return }
        returns.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(returns, .max)
    }

    // MARK: On other threads

    func wait(for subscription: Subscription) {
        unsubscribing.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { unsubscribing.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let seen = returns.pointee.load(ordering: .sequentiallyConsistent)
            guard isInside(subscription) else { return }
            csys_futex_wait(returns, seen, .max)
        }
    }

    func isInside(_ subscription: Subscription) -> Bool {
        subscription.running.load(ordering: .sequentiallyConsistent) > 0
            || current.load(ordering: .sequentiallyConsistent)
                == UInt(bitPattern: ObjectIdentifier(subscription))
    }
}

/// The callback of a subscription, called on the thread that runs the loop.
package enum EventReceiver: @unchecked Sendable {
    // Sendable: the owner of the C function and its context promised that the loop's thread may use
    // them until the subscription ends.

    /// A C function with its data and exactly the declared parameters.
    case typed(curfew_any_function, UnsafeMutableRawPointer?)
    /// A C function for every event.
    case generic(curfew_event_function, UnsafeMutableRawPointer?)
    case closure(@Sendable (HostEvent) -> Void)
}
