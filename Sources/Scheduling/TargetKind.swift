// SPDX-License-Identifier: Apache-2.0

/// The implementation of a target's subs.
public enum TargetKind: Sendable {
    /// Ignores a call of a sub that does not exist.
    case module
    /// Treats a call of a sub that does not exist as an error.
    case classInstance
}
