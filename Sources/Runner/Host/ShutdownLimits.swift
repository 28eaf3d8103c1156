// SPDX-License-Identifier: Apache-2.0

/// Time limits of the phases of a shutdown, in nanoseconds of real time.
package struct ShutdownLimits: Sendable {
    /// For running tasks to end and queued ones to start.
    package var drain: UInt64 = 0
    /// For answers after expiration; nil: the longest grace of a handler plus one second.
    package var expire: UInt64?
    /// For functions to return; applies anew to each plugin's retire function.
    package var leave: UInt64 = 1_000_000_000

    package init() {}
}
