// SPDX-License-Identifier: Apache-2.0

/// A change of the process that a plugin caused.
package struct ProcessStateFinding: Hashable, Sendable {
    /// To be put after "changed".
    package let text: String
    /// Whether the former state was restored.
    package let isPutBack: Bool
}
