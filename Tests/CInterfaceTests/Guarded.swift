// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value that several threads change, and that a test can wait for.
///
/// On a POSIX condition, which ThreadSanitizer understands.
final class Guarded<Value>: @unchecked Sendable {
    // Sendable: `value` is only touched under the condition's lock.

    /// Nothing in these tests takes so long, unless it never happens, also on a machine that is busy.
    static var limit: TimeInterval { 40 }

    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// The value as it is now.
    var now: Value { change { $0 } }

    /// Changes the value and wakes everybody who waits for it.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&value)
    }

    /// Waits until the value is as wanted. False when the limit passed first.
    func wait(
        within limit: TimeInterval = Guarded.limit, until isWanted: (Value) -> Bool
    ) -> Bool {
        // The condition waits for a date, which somebody may set.
        let end = SuspendingClock.now + .seconds(limit)
        condition.lock()
        defer { condition.unlock() }
        while !isWanted(value) {
            let left = (end - .now) / .seconds(1)
            guard left > 0 else { return false }
            _ = condition.wait(until: Date(timeIntervalSinceNow: left))
        }
        return true
    }
}
