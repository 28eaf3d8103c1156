// SPDX-License-Identifier: Apache-2.0

/// A function that is set once, or replaced, and called by any thread.
///
/// Its function is the member of a struct, because a `Locked` of a bare function would grow: each access
/// through a type parameter converts the function to the form that generic code calls and back, and the
/// stored value is wrapped twice more (Swift 6.3). Calls become deeper each time, until a stack overflows.
package struct Callback<Argument>: Sendable {
    private struct Kept {
        var body: (@Sendable (Argument) -> Void)?
    }

    private let kept = Locked(Kept())

    package init() {}

    package func set(_ body: @escaping @Sendable (Argument) -> Void) {
        _ = kept.exchange(Kept(body: body))
    }

    /// Calls the function outside of the lock, if there is one.
    package func callAsFunction(_ argument: Argument) { kept.withLock { $0.body }?(argument) }
}

extension Callback<Void> {
    package func callAsFunction() { self(()) }
}
