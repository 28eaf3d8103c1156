// SPDX-License-Identifier: Apache-2.0

/// An error of the host.
package struct AppRegistryFailure: Error {
    /// One of the constants `CURFEW_…`.
    package let status: Int32
    package let message: String

    package init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }
}
