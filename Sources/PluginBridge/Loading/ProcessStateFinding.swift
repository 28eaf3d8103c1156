// SPDX-License-Identifier: Apache-2.0

/// A change of the process that a plugin caused.
public struct ProcessStateFinding: Hashable, Sendable {
    /// To be put after "changed".
    public let text: String
    /// It is as it was before.
    public let isPutBack: Bool
}
