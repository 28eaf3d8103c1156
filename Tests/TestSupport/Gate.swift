// SPDX-License-Identifier: Apache-2.0

/// Where a handler waits on its worker until a test lets it go on.
package final class Gate: Sendable {
    /// The gate was not opened within the limit: the test would hang otherwise.
    package struct StayedShut: Error {}

    private let isOpen = Guarded(false)

    package init() {}

    /// Lets every thread pass, now and later.
    package func open() { isOpen.value = true }

    /// Waits until the gate is open.
    package func pass() throws {
        guard isOpen.wait(until: \.self) else { throw StayedShut() }
    }
}
