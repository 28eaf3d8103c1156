// SPDX-License-Identifier: Apache-2.0

/// The event counts of a target since its creation.
public struct TargetCounts: Equatable, Sendable {
    /// Events for which a sub was called.
    public var called: UInt64 = 0
    /// Events that resumed a wait.
    public var resumed: UInt64 = 0
    /// Events without a receiver.
    public var untaken: UInt64 = 0
    /// Events that were ignored since the target was paused.
    public var paused: UInt64 = 0
    /// Errors that came out of a sub and that `application_error::` did not take.
    public var failed: UInt64 = 0

    /// Nothing yet.
    package init() {}
}
