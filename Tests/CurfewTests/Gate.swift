// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Where a handler waits on its worker until a test lets it go on.
final class Gate: Sendable {
    /// Nobody opened the gate within the limit: the test would hang otherwise.
    struct StayedShut: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets everybody pass, now and later.
    func open() { semaphore.signal() }

    /// Waits until the gate is open.
    func pass() throws {
        guard semaphore.wait(timeout: .now() + .seconds(60)) == .success else {
            throw StayedShut()
        }
        semaphore.signal()
    }
}
