// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value behind a lock. Objects that are removed from it are released outside the lock.
package final class AppLocked<Value>: @unchecked Sendable {
    // Sendable: the value is used under the lock only.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Answer>(_ body: (inout Value) throws -> Answer) rethrows -> Answer {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Replaces the value, and returns the previous one.
    @discardableResult
    package func exchange(_ new: Value) -> Value {
        withLock { value in
            let old = value
            value = new
            return old
        }
    }
}
