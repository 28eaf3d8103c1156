// SPDX-License-Identifier: Apache-2.0

/// Who asks not to be suspended.
package enum AssertionKind: Sendable {
    /// `beginBackgroundTask`: its handler is called on the main thread.
    case task
    /// `performExpiringActivity`: its block is called again, on a thread of its own.
    case activity
}
