// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A counting semaphore whose wait ends after a generous limit, so that a fault fails a test instead
/// of hanging it.
package final class Signal: Sendable {
    private let count = Guarded(0)

    package init() {}

    /// Lets `times` waits go on.
    package func send(_ times: Int = 1) { count.change { $0 += times } }

    /// Takes one signal. False when none came within the limit.
    package func wait() -> Bool {
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

    /// Takes one signal. Where none comes within the limit, ends the process with a line that says
    /// what did not happen: for programs that are run by tests.
    package func wait(_ what: String) {
        guard wait() else {
            print("never: \(what)")
            exit(3)
        }
    }

    /// Whether a signal waits to be taken.
    package var isSet: Bool { count.value > 0 }
}
