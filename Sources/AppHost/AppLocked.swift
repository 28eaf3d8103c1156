// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value behind a lock. What is taken out of it is let go of outside.
package final class AppLocked<Value>: @unchecked Sendable {
    // Sendable: the value is touched under the lock alone.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Answer>(_ body: (inout Value) throws -> Answer) rethrows -> Answer {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Puts another value in its place, and returns the one that was there.
    @discardableResult
    package func exchange(_ new: Value) -> Value {
        withLock { value in
            let old = value
            value = new
            return old
        }
    }
}
