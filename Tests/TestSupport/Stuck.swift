// SPDX-License-Identifier: Apache-2.0

/// A handler's function that stays inside until the test lets it go, and signals its entry.
package final class Stuck: Sendable {
    package let entered = Signal()
    package let expired = Signal()
    package let go = Signal()
    /// The reasons that the expiration callback was given, as the tested API has them.
    package let reasons = Guarded<[AnyHashable]>([])

    package init() {}

    /// Returns the function, which waits and then runs `body`.
    package func run<Call, Result>(
        _ body: @escaping @Sendable (Call) -> Result
    ) -> @Sendable (Call) -> Result {
        { [self] call in
            block()
            return body(call)
        }
    }

    /// Signals that the caller is inside, and waits until it may go on.
    package func block() {
        entered.send()
        _ = go.wait()
    }

    /// The expiration callback, which only records the reason.
    package func onExpired<Call, Reason: Hashable>(_ call: Call, _ reason: Reason) {
        reasons.change { $0.append(reason) }
        expired.send()
    }
}
