// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A counting semaphore whose wait ends after a generous limit, so that a fault fails a test instead
/// of hanging it.
final class Signal: Sendable {
    private let count = Guarded(0)

    /// Lets `times` waits go on.
    func send(_ times: Int = 1) { count.change { $0 += times } }

    /// Takes one signal. False when none came within the limit.
    func wait() -> Bool {
        // Between the two steps another waiter may have taken it.
        while count.wait(until: { $0 > 0 }) {
            let taken = count.change { count -> Bool in
                guard count > 0 else { return false }
                count -= 1
                return true
            }
            if taken { return true }
        }
        return false
    }

    /// Whether a signal waits to be taken.
    var isSet: Bool { count.now > 0 }
}
