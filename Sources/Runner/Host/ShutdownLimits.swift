// SPDX-License-Identifier: Apache-2.0

/// How long the phases of a shutdown may take, in nanoseconds of real time.
package struct ShutdownLimits: Sendable {
    /// Let tasks go on and queued ones start.
    package var drain: UInt64 = 0
    /// Wait for answers after expiration; nil: the longest grace of a handler, and a second.
    package var expire: UInt64?
    /// Wait for functions to return; for each plugin's retire function anew.
    package var leave: UInt64 = 1_000_000_000

    /// Every default.
    package init() {}
}
