// SPDX-License-Identifier: Apache-2.0
import CCurfew
import TestSupport

/// A handler's function that stays inside until it is let go, and says when it was entered.
final class Stuck: Sendable {
    let entered = Signal()
    let expired = Signal()
    let go = Signal()
    let reasons = Guarded<[curfew_reason]>([])

    /// The function: waits, then does `body`.
    func run(
        _ body: @escaping @Sendable (RunCall) -> curfew_status = { _ in 0 }
    ) -> @Sendable (RunCall) -> curfew_status {
        { [self] call in
            entered.send()
            _ = go.wait()
            return body(call)
        }
    }

    /// The expiration callback: writes the reason down, and nothing else.
    var onExpired: @Sendable (RunCall, curfew_reason) -> Void {
        { [self] _, reason in
            reasons.change { $0.append(reason) }
            expired.send()
        }
    }
}
