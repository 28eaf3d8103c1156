// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Something that happens, waited for by another thread.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func fire() { semaphore.signal() }

    /// Ends the process where it does not happen within ten seconds.
    func wait(_ what: String) {
        guard semaphore.wait(timeout: .now() + 10) == .success else {
            print("not within 10 s: \(what)")
            Stage.leave(70)
        }
    }
}
