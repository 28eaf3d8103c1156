// SPDX-License-Identifier: Apache-2.0

/// The API that made the assertion.
package enum AssertionKind: Sendable {
    /// `beginBackgroundTask`: its handler is called on the main thread.
    case task
    /// `performExpiringActivity`: its block is called again, on a new thread.
    case activity
}
