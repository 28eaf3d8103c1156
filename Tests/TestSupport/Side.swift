// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Something that runs on a thread of its own, none of the host's.
package final class Side<Result: Sendable>: Sendable {
    private let result = Guarded<Result?>(nil)
    /// The thread's directory in /proc, once it runs.
    private let thread = Guarded<String?>(nil)

    package init(_ body: @escaping @Sendable () -> Result) {
        let (result, thread) = (result, thread)
        Thread.detachNewThread {
            thread.value = ProcessFacts.currentThread
            let value = body()
            result.change { $0 = value }
        }
    }

    /// Whether it has ended.
    package var isOver: Bool { result.value != nil }

    /// Waits until the thread sleeps in the kernel. Returns false if it ended, or ran on for the
    /// limit.
    package func waitUntilAsleep() -> Bool {
        guard thread.wait(until: { $0 != nil }), let thread = thread.value else { return false }
        let end = SuspendingClock.now + .seconds(Guarded<Int>.limit)
        while !isOver, SuspendingClock.now < end {
            if ProcessFacts.isAsleep(thread) { return true }
            sched_yield()
        }
        return false
    }

    /// Returns the result; nil when the body has not ended within the limit.
    package func join() -> Result? {
        _ = result.wait { $0 != nil }
        return result.value
    }
}
