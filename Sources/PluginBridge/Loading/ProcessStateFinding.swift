// SPDX-License-Identifier: Apache-2.0

/// A change of the process that a plugin caused.
public struct ProcessStateFinding: Hashable, Sendable {
    /// To be put after "changed".
    public let text: String
    /// Whether the former state was restored.
    public let isPutBack: Bool
}
