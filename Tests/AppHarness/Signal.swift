// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Something that happens, waited for by another thread.
final class Signal: Sendable {
    /// Seconds; a machine that is busy with something else is slow, and what hangs is told all the same.
    static let patience = 40.0

    private let semaphore = DispatchSemaphore(value: 0)

    func fire() { semaphore.signal() }

    /// Ends the process where it does not happen within its patience.
    func wait(_ what: String) {
        guard semaphore.wait(timeout: .now() + Signal.patience) == .success else {
            print("not within \(Int(Signal.patience)) s: \(what)")
            Stage.leave(70)
        }
    }
}
