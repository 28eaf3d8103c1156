// SPDX-License-Identifier: Apache-2.0

/// The implementation of a target's subs.
public enum TargetKind: Sendable {
    /// A call of a sub it does not have is ignored.
    case module
    /// A call of a sub it does not have is an error.
    case classInstance
}
