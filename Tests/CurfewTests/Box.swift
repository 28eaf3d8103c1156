// SPDX-License-Identifier: Apache-2.0
import Runner

/// A value that closures on any thread may change.
final class Box<Value: Sendable>: Sendable {
    private let content: Locked<Value>

    init(_ value: Value) { content = Locked(value) }

    var value: Value { content.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) {
        content.withLock {
            var copy = $0
            body(&copy)
            $0 = copy
        }
    }
}
