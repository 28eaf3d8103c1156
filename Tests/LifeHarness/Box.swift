// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A variable that several threads use.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: Value

    init(_ value: Value) { kept = value }

    var value: Value {
        get { lock.withLock { kept } }
        set { lock.withLock { kept = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&kept) } }
}
