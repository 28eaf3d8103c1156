// SPDX-License-Identifier: Apache-2.0

/// The event counts of a target since its creation.
public struct TargetCounts: Equatable, Sendable {
    /// Events for which a sub was called.
    public package(set) var called: UInt64 = 0
    /// Events that resumed a wait.
    public package(set) var resumed: UInt64 = 0
    /// Events without a receiver.
    public package(set) var untaken: UInt64 = 0
    /// Events that were ignored because the target was paused.
    public package(set) var paused: UInt64 = 0
    /// Errors of subs that `application_error::` did not handle.
    public package(set) var failed: UInt64 = 0

    /// Creates counts of zero.
    package init() {}
}

/// The implementation of a target's subs.
public enum TargetKind: Sendable {
    /// Ignores a call of a sub that does not exist.
    case module
    /// Treats a call of a sub that does not exist as an error.
    case classInstance
}
