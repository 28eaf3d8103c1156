// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// A value that several threads change, and that a test can wait for.
///
/// On a POSIX condition, which ThreadSanitizer understands.
package final class Guarded<Value>: @unchecked Sendable {
    // Sendable: `kept` is only touched under the condition's lock.

    /// The seconds that a wait takes at most. Nothing in these tests takes so long, also on a busy
    /// machine: what takes longer never happens.
    package static var limit: TimeInterval { 60 }

    private let condition = NSCondition()
    private var kept: Value

    package init(_ value: Value) { kept = value }

    /// The value as it is now.
    package var value: Value {
        get { change { $0 } }
        set { change { $0 = newValue } }
    }

    /// Changes the value and wakes everybody who waits for it.
    @discardableResult
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&kept)
    }

    /// Waits until the value is as wanted. False when the limit passed first.
    package func wait(
        within limit: TimeInterval = Guarded.limit, until isWanted: (Value) -> Bool
    ) -> Bool {
        // The condition waits for a date, and the clock of dates can be set.
        let end = SuspendingClock.now + .seconds(limit)
        condition.lock()
        defer { condition.unlock() }
        while !isWanted(kept) {
            let left = (end - .now) / .seconds(1)
            guard left > 0 else { return false }
            _ = condition.wait(until: Date(timeIntervalSinceNow: left))
        }
        return true
    }
}
