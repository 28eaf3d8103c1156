// SPDX-License-Identifier: Apache-2.0

/// A value on its way to another thread.
final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
}
